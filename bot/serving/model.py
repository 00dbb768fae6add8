"""A model that can be served, as the catalogue (config/models.yaml) describes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain.version import Version

# What bot/deploying/chips.py makes of a GPU, and what stands for all others.
GENERATIONS = ("hopper", "h20", "blackwell", "blackwell-workstation", "older", "usual")
KV_DTYPES = ("auto", "fp8", "fp8_e4m3", "fp8_e5m2")
BUG_WHENS = ("", "mtp", "mtp-with-dbo", "bf16-kv")


@dataclass(frozen=True, slots=True)
class Mla:
    """One latent per token and layer, the same on every tensor parallel rank.

    index_layers: layers with index keys of their own (sparse attention); 0: attention is not sparse.
    """

    lora_rank: int
    rope_dim: int
    index_head_dim: int = 0
    index_layers: int = 0


@dataclass(frozen=True, slots=True)
class Gqa:
    """Keys and values per head, divided by tensor parallel ranks as far as there are heads."""

    kv_heads: int
    head_dim: int


@dataclass(frozen=True, slots=True)
class Architecture:
    """Numbers of the model's own configuration file. class_name: `architectures[0]`."""

    class_name: str
    layers: int
    mtp_layers: int
    heads: int
    attention: Mla | Gqa
    moe_intermediate: int = 0
    kv_layers: int = 0  # layers that keep keys and values; 0: all of them
    source: str = ""


@dataclass(frozen=True, slots=True)
class Support:
    """How one engine serves a model.

    first: the oldest version that can at all; advised: the oldest that we advise. all_index_until: versions before it
    give every layer index keys of its own. kv_dtypes: GPU generation (`hopper`, `blackwell`, `h20`) → what its cache is
    kept in; `usual` for the others. mtp_tokens: guessed ahead at once by multi-token prediction, 0 without.
    arguments: further flags as people write them.
    """

    engine: str  # vllm, sglang
    first: Version
    advised: Version
    all_index_until: Version | None = None
    tool_parser: str = ""
    reasoning_parser: str = ""
    kv_dtypes: Mapping[str, str] = field(default_factory=dict)
    mtp_tokens: int = 0
    arguments: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Bug:
    """A known fault: versions from `first` (None: all before) up to and without `fixed` (None: not fixed yet).

    when: `mtp`, `mtp-with-dbo` (dual batch overlap) or `bf16-kv`; empty: always. gpus: generations; empty: all.
    """

    what: str
    instead: str
    engine: str
    first: Version | None
    fixed: Version | None
    gpus: tuple[str, ...] = ()
    when: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One set of weights. source: of the figures.

    only: compute capabilities that can run it, empty for all from `lowest` on; because: why the others cannot.
    block: of quantised weights, which must not be cut; tile: a size that kernels without native FP8 cut into 64.
    factor: bytes on a rank = weights / tensor parallel size × this. overhead_gib: per GPU, for activations, NCCL and
    graphs. measured: False where it is derived by arithmetic.
    """

    id: str  # fp8, bf16, nvfp4
    huggingface: str
    modelscope: str
    weights_bytes: int
    context_tokens: int
    factor: float
    overhead_gib: float
    lowest: tuple[int, int]
    only: tuple[tuple[int, int], ...]
    because: str
    engines: tuple[Support, ...]
    block: int = 0
    tile: int = 0
    files: int = 0
    measured: bool = False
    note: str = ""
    source: str = ""

    @property
    def precision(self) -> str:
        """`fp8`, `bf16`, `nvfp4`: how its weights are kept."""
        return self.id.partition("-")[0]

    def support(self, engine: str) -> Support | None:
        return next((one for one in self.engines if one.engine == engine), None)


@dataclass(frozen=True, slots=True)
class Model:
    """names: everything people call it, in lower case; the first is the usual one. fallback: ids of models to offer
    where it does not fit, the nearest first.
    """

    id: str
    title: str
    names: tuple[str, ...]
    family: str
    licence: str
    architecture: Architecture
    variants: tuple[Variant, ...]
    bugs: tuple[Bug, ...] = ()
    fallback: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Release:
    """An engine as it is released: the version that is deployed unless another is wanted, and its image."""

    engine: str
    version: Version
    image: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`as_of`: when its figures were collected."""

    as_of: str
    releases: Mapping[str, Release]
    models: tuple[Model, ...]
