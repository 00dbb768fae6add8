"""The weights fit, but what is left holds too few tokens."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature, Values

_MORE_ROOM = Remedy(
    "Or make room for more: `--kv-cache-dtype fp8`, more GPUs, or a higher `--gpu-memory-utilization` (0.95 at most)."
)
_CONTEXT = "The weights fit: only the context length is too long for what is left."
_VLLM = "vllm-project/vllm:vllm/v1/core/kv_cache_utils.py"


def _estimate(values: Values) -> Values:
    """A length to use: the one vLLM estimates, else what the memory gives in proportion."""
    if values.get("fits") or not (values.get("needed") and values.get("available")):
        return {}
    needed, available = float(values["needed"]), float(values["available"])
    tokens = int(int(values["wanted"]) * available / needed) // 64 * 64 if needed else 0
    return {"about": str(tokens)} if tokens else {}


FAMILY = Family(
    "KV cache",
    (
        Signature(
            id="kv-cache-context-too-long",
            says=("max seq len (",),
            pattern=Pattern(
                r"at least one request with the model'?s?'?s max seq len \((?P<wanted>\d{1,9})\),? "
                r"\(?(?P<needed>[\d.]{1,9}) GiB KV "
                r"cache is needed, which is larger than the available KV cache memory \((?P<available>[\d.]{1,9}) GiB\)"
                r"(?:.{0,80}?estimated maximum model length is (?P<fits>\d{1,9}))?"
            ),
            derive=_estimate,
            cause="One request of {wanted} tokens needs {needed} GiB of KV cache per GPU, and {available} GiB are "
            "left[: room for {fits} tokens][: room for about {about} tokens].",
            remedies=(
                Remedy("Set[ `--max-model-len {fits}` or less][ `--max-model-len {about}` or less, by proportion]."),
                _MORE_ROOM,
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            note=_CONTEXT,
            source=_VLLM,
        ),
        Signature(
            id="kv-cache-context-over-capacity",
            says=("is larger than the maximum number of tokens that can be stored in KV cache",),
            pattern=Pattern(
                r"max seq len \((?P<wanted>\d{1,9})\) is larger than the maximum number of tokens that can be stored "
                r"in KV cache "
                r"\((?P<fits>\d{1,9})\)"
            ),
            cause="The context length is {wanted} tokens, but the memory left after the weights holds {fits} tokens "
            "of KV cache.",
            remedies=(Remedy("Set `--max-model-len {fits}` or less."), _MORE_ROOM),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            note=_CONTEXT,
            source="vllm-project/vllm#6746 (V0 engine: vllm/worker/worker.py)",
        ),
        Signature(
            id="kv-cache-no-memory",
            says=("No available memory for the cache blocks",),
            cause="After the weights no GPU memory is left for the KV cache.",
            remedies=(
                Remedy("Raise `--gpu-memory-utilization` if it is below 0.95."),
                Remedy(
                    "Else spread the model over more GPUs (`--tensor-parallel-size`), or take a smaller checkpoint "
                    "(FP8)."
                ),
            ),
            blames=(Blame.ARGUMENTS, Blame.GPU_MEMORY),
            rank=Rank.ROOT,
            source=_VLLM,
        ),
        Signature(
            id="kv-cache-not-one-token",
            says=("Cannot auto-fit max_model_len: not enough GPU memory available",),
            cause="After the weights not even one token of KV cache fits, so no context length can be chosen.",
            remedies=(
                Remedy(
                    "Spread the model over more GPUs (`--tensor-parallel-size`), or take a smaller checkpoint (FP8)."
                ),
            ),
            blames=(Blame.GPU_MEMORY, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            source=_VLLM,
        ),
        Signature(
            id="kv-cache-static-fraction",
            says=("Not enough memory. Please try to increase --mem-fraction-static",),
            pattern=Pattern(r"--mem-fraction-static(?:.{0,60}?=(?P<share>0?\.\d{1,6}))?"),
            cause="SGLang's share for weights and KV cache[ (`--mem-fraction-static {share}`)] is used up by the "
            "weights.",
            remedies=(
                Remedy("Raise `--mem-fraction-static`, up to about 0.9."),
                Remedy("Else use more GPUs (`--tp`), or a smaller checkpoint."),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="sgl-project/sglang:python/sglang/srt/model_executor/model_runner.py",
        ),
        Signature(
            id="kv-cache-state-blocks",
            says=("exceeds available Mamba cache blocks",),
            pattern=Pattern(
                r"max_num_seqs \((?P<wanted>\d{1,7})\) exceeds available Mamba cache blocks \((?P<fits>\d{1,7})\)"
            ),
            cause="{wanted} requests at once were asked for, and the memory holds the state of {fits}.",
            remedies=(Remedy("Set `--max-num-seqs {fits}` or less."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/v1/worker/gpu_model_runner.py",
        ),
    ),
)
