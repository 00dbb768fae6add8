"""What a model takes of each GPU's memory, and how many tokens its cache then holds.

    requested   = total × utilisation            (0.92 by default since vLLM 0.20, 0.9 before)
    cache       = requested − weights on a rank − overhead
    tokens      = cache / bytes per token, in whole blocks

vllm-project/vllm:vllm/v1/core/kv_cache_utils.py, vllm/v1/kv_cache_interface.py and vllm/v1/attention/backends/mla; the
constants for weights and overhead were measured on eight H200 (vllm-project/recipes, pull request 893).
"""

from math import floor

from bot.deploying.candidate import Sizing
from bot.deploying.chips import Chip, generation
from bot.domain.version import Version
from bot.serving.model import Gqa, Mla, Model, Support, Variant

GIB = 2**30
BLOCK_TOKENS = 64
UTILISATION, UTILISATION_BEFORE = 0.92, 0.9
_FULLER_SINCE = Version(0, 20)
_SCALED = 128  # values of a latent that share a scale of four bytes
_FP8 = ("fp8", "fp8_e4m3", "fp8_e5m2")


def utilisation(engine: str, version: Version) -> float:
    """What the engine takes where nobody says. SGLang works it out; 0.9 is what its cookbook asks for."""
    return UTILISATION if engine == "vllm" and version >= _FULLER_SINCE else UTILISATION_BEFORE


def kv_dtype(support: Support, chip: Chip) -> str:
    """What the cache is kept in there; `auto` is the model's own, BF16."""
    named = support.kv_dtypes.get(generation(chip))
    return named or support.kv_dtypes.get("usual", "auto")


def kv_bytes(
    model: Model, support: Support, version: Version, chip: Chip, dtype: str, *, mtp: bool, tensor_parallel: int
) -> int:
    """Bytes of one token on one GPU, all layers together. A latent is the same on every rank; heads are divided."""
    architecture = model.architecture
    layers = architecture.kv_layers or architecture.layers
    extra = architecture.mtp_layers if mtp else 0
    attention = architecture.attention
    if isinstance(attention, Gqa):
        width = 1 if dtype in _FP8 else 2
        whole = 2 * (layers + extra) * attention.kv_heads * attention.head_dim * width
        return whole // min(tensor_parallel, attention.kv_heads)
    index = attention.index_layers
    if index and support.all_index_until is not None and version < support.all_index_until:
        index = layers
    return (layers + extra) * _latent(attention, chip, dtype) + (index + (extra if index else 0)) * _index(attention)


def _latent(attention: Mla, chip: Chip, dtype: str) -> int:
    """For sparse attention Hopper keeps the rotated part in BF16, and scales beside the rest: 512 + 16 + 128 bytes."""
    size = attention.lora_rank + attention.rope_dim
    if dtype not in _FP8:
        return 2 * size
    sparse_on_hopper = attention.index_layers and chip.capability[0] == 9
    return size + attention.rope_dim + 4 * (attention.lora_rank // _SCALED) if sparse_on_hopper else size


def _index(attention: Mla) -> int:
    """Keys in FP8 and a scale of four bytes."""
    return attention.index_head_dim + 4 if attention.index_head_dim else 0


def size(
    model: Model,
    variant: Variant,
    support: Support,
    version: Version,
    chip: Chip,
    *,
    tensor_parallel: int,
    pipeline_parallel: int = 1,
    dtype: str = "",
    mtp: bool = False,
    used: float | None = None,
) -> Sizing:
    """used: the share of memory that the engine takes. Layers, and so weights and cache, are divided by stages."""
    dtype = dtype or kv_dtype(support, chip)
    ranks = tensor_parallel * pipeline_parallel
    total = chip.memory_mib / 1024
    requested = total * (utilisation(support.engine, version) if used is None else used)
    weights = variant.weights_bytes / GIB / ranks * variant.factor
    cache = requested - weights - variant.overhead_gib
    whole = kv_bytes(model, support, version, chip, dtype, mtp=mtp, tensor_parallel=tensor_parallel)
    per_token = -(-whole // pipeline_parallel)
    tokens = max(0, floor(cache * GIB / per_token / BLOCK_TOKENS) * BLOCK_TOKENS)
    why_not = "" if tokens else _why_not(variant, ranks, weights, requested, chip)
    return Sizing(total, requested, weights, variant.overhead_gib, max(0.0, cache), per_token, tokens, why_not)


def _why_not(variant: Variant, ranks: int, weights: float, requested: float, chip: Chip) -> str:
    need = weights + variant.overhead_gib
    return (
        f"its weights take {weights:.1f} GiB of each GPU with {ranks}, and {variant.overhead_gib:g} GiB more for "
        f"running: {need:.1f} of the {requested:.1f} GiB that the engine may use of {chip.memory_mib / 1024:.0f}"
    )
