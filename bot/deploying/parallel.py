"""Into how many ranks a model can be cut, and why not into others.

vllm-project/vllm: heads are divided whole (vllm/config/model.py), keys and values too unless there are more ranks than
heads of them, and quantised weights only between their blocks (vllm/model_executor/layers/quantization).
"""

from bot.deploying.chips import Chip
from bot.serving.model import Gqa, Model, Variant

_TILE = 64
_NATIVE_FP8 = (8, 9)
SIZES = (1, 2, 4, 5, 8, 10, 16, 20, 32)


def fault(model: Model, variant: Variant, tensor_parallel: int, chip: Chip | None = None) -> str:
    """Why it cannot be cut so, as a clause; empty where it can. chip: where it would run, for what only that tells."""
    architecture = model.architecture
    if architecture.heads % tensor_parallel:
        return f"its {architecture.heads} attention heads cannot be divided by {tensor_parallel}"
    attention = architecture.attention
    if isinstance(attention, Gqa):
        heads = attention.kv_heads
        if heads % tensor_parallel and tensor_parallel % heads:
            return f"its {heads} key-value heads cannot be divided by {tensor_parallel}, nor the other way round"
    if variant.block and architecture.moe_intermediate:
        part, rest = divmod(architecture.moe_intermediate, tensor_parallel)
        if rest or part % variant.block:
            return (
                f"its experts' {architecture.moe_intermediate} rows over {tensor_parallel} ranks do not end between "
                f"blocks of {variant.block} quantised weights"
            )
    return _tiles(variant, tensor_parallel, chip)


def _tiles(variant: Variant, tensor_parallel: int, chip: Chip | None) -> str:
    """zai-org/GLM-4.5, issues 23 and 94: the kernel for GPUs without FP8 of their own."""
    if not variant.tile or chip is None or chip.capability >= _NATIVE_FP8:
        return ""
    part, rest = divmod(variant.tile, tensor_parallel)
    if not rest and part % _TILE == 0:
        return ""
    return f"without FP8 of its own the GPU takes its weights in tiles of {_TILE}, and {part} rows are not that"


def sizes(model: Model, variant: Variant, most: int, chip: Chip | None = None) -> tuple[int, ...]:
    """All that go up to `most`, the smallest first."""
    return tuple(one for one in SIZES if one <= most and not fault(model, variant, one, chip))


def smallest_beside(model: Model, variant: Variant, wanted: int) -> tuple[int, ...]:
    """The nearest that go, below and above: what to type instead."""
    every = sizes(model, variant, SIZES[-1])
    below, above = [one for one in every if one < wanted], [one for one in every if one > wanted]
    return (*below[-1:], *above[:1])
