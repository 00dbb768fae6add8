"""What an engine reads of a checkpoint: enough to start like it, and to refuse like it.

The config.json and the files of zai-org's GLM models; anything else counts as a small dense model.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`tokens`: its native context. `gib`: its files."""

    architecture: str
    heads: int
    tokens: int
    gib: float
    shards: int


_GLM_5 = Checkpoint("GlmMoeDsaForCausalLM", 64, 1_048_576, 703.74, 141)
_GLM_5_1 = Checkpoint("GlmMoeDsaForCausalLM", 64, 202_752, 703.74, 141)
_GLM_4 = Checkpoint("Glm4MoeForCausalLM", 96, 202_752, 336.0, 93)
_AIR = Checkpoint("Glm4MoeForCausalLM", 96, 131_072, 105.0, 47)
_FLASH = Checkpoint("Glm4MoeLiteForCausalLM", 20, 202_752, 58.1, 48)
_KNOWN = {  # in the name → what it is; the first that fits
    "glm-5.3-flash": Checkpoint("Glm5NextForConditionalGeneration", 64, 1_048_576, 285.0, 62),
    "glm-5.2": _GLM_5,
    "glm-5.3": _GLM_5,
    "glm-5": _GLM_5_1,
    "glm-4.7-flash": _FLASH,
    "glm-4.5-air": _AIR,
    "glm-4": _GLM_4,
}
_OTHER = Checkpoint("LlamaForCausalLM", 64, 131_072, 15.0, 4)


def checkpoint_of(model: str) -> Checkpoint:
    """By its id or its path."""
    name = model.casefold()
    return next((one for part, one in _KNOWN.items() if part in name), _OTHER)
