"""The GPU's memory is full, or somebody else has it."""

from bot.domain.pattern import Pattern
from bot.serving.actions import DELETE_POD, SMALLER
from bot.serving.phase import Phase
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature

_OOM = Pattern(
    r"(?:CUDA|HIP|XPU)(?: error:)? out of memory(?:\. Tried to allocate (?P<tried>[\d.]{1,9} [KMG]iB))?"
    r"(?:.{0,60}? GPU (?P<gpu>\d{1,3}) has a total capacity of (?P<total>[\d.]{1,9} [KMG]iB)"
    r" of which (?P<free>[\d.]{1,9} [KMG]iB) is free)?"
)
_OOM_SAYS = ("CUDA out of memory", "CUDA error: out of memory", "HIP out of memory", "XPU out of memory")
_FIGURES = "[: {tried} more were asked for][, {free} of {total} were free]"
_CARD_IS_FINE = "The card itself is fine."


FAMILY = Family(
    "GPU memory",
    (
        Signature(
            id="gpu-memory-weights-do-not-fit",
            says=("Failed to load model - not enough GPU memory",),
            cause="The weights do not fit into the memory of the GPUs that the engine uses.",
            remedies=(SMALLER,),
            blames=(Blame.ARGUMENTS, Blame.GPU_MEMORY),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/v1/worker/gpu_model_runner.py",
        ),
        Signature(
            id="gpu-memory-sampler-warm-up",
            says=("CUDA out of memory occurred when warming up sampler",),
            pattern=Pattern(r"warming up sampler with(?: (?P<requests>\d{1,6}) dummy requests)?"),
            cause="The GPU's memory ran out at the sampler's warm-up[ with {requests} dummy requests]; the weights "
            "are in.",
            remedies=(Remedy("Lower `--max-num-seqs` (256 is a fair start), or `--gpu-memory-utilization` by 0.03."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/v1/worker/gpu_worker.py",
        ),
        Signature(
            id="gpu-memory-full-while-loading",
            says=_OOM_SAYS,
            pattern=_OOM,
            during=frozenset({Phase.LOAD}),
            cause="GPU memory ran out while the weights were loaded" + _FIGURES + ".",
            remedies=(
                SMALLER,
                Remedy("If it fitted before: see whether another process holds memory on the same GPU.", "nvidia-smi"),
            ),
            blames=(Blame.GPU_MEMORY, Blame.ARGUMENTS, Blame.OTHER_PROCESS),
            note=_CARD_IS_FINE,
            source="pytorch/pytorch:c10/cuda/CUDACachingAllocator.cpp",
        ),
        Signature(
            id="gpu-memory-full-while-warming",
            says=_OOM_SAYS,
            pattern=_OOM,
            during=frozenset({Phase.COMPILE, Phase.WARM}),
            cause="GPU memory ran out after the weights were in, at profiling or CUDA graphs" + _FIGURES + ".",
            remedies=(
                Remedy("Leave more room: `--gpu-memory-utilization` 0.03 lower (SGLang: `--mem-fraction-static`)."),
                Remedy("Or fewer graphs and requests: `--max-num-seqs`, SGLang `--cuda-graph-max-bs`."),
            ),
            blames=(Blame.ARGUMENTS,),
            note=_CARD_IS_FINE,
            source="pytorch/pytorch:c10/cuda/CUDACachingAllocator.cpp",
        ),
        Signature(
            id="gpu-memory-full-while-serving",
            says=_OOM_SAYS,
            pattern=_OOM,
            during=frozenset({Phase.READY, Phase.SERVING}),
            cause="GPU memory ran out while requests were served" + _FIGURES + ".",
            remedies=(
                Remedy(
                    "Lower `--max-num-batched-tokens`, or `--gpu-memory-utilization` by 0.03: a long prompt needs "
                    "room beside the cache."
                ),
                DELETE_POD,
            ),
            blames=(Blame.ARGUMENTS,),
            restart_helps=True,
            note=_CARD_IS_FINE + " A restart helps until the next such request.",
            source="pytorch/pytorch:c10/cuda/CUDACachingAllocator.cpp",
        ),
        Signature(
            id="gpu-memory-full",
            says=(
                *_OOM_SAYS,
                "Cuda failure 2 'out of memory'",
                "Cuda failure 'out of memory'",
                "CUBLAS_STATUS_ALLOC_FAILED",
            ),
            pattern=Pattern(_OOM.pattern + r"|Cuda failure (?:2 )?'out of memory'|CUBLAS_STATUS_ALLOC_FAILED"),
            cause="GPU memory ran out" + _FIGURES + ".",
            remedies=(
                Remedy(
                    "See what holds the GPU's memory; if it is this engine alone, leave more room "
                    "(`--gpu-memory-utilization` 0.03 lower).",
                    "nvidia-smi",
                ),
                SMALLER,
            ),
            blames=(Blame.GPU_MEMORY, Blame.ARGUMENTS, Blame.OTHER_PROCESS),
            note=_CARD_IS_FINE,
            source="pytorch/pytorch:c10/cuda/CUDACachingAllocator.cpp",
        ),
        Signature(
            id="gpu-memory-graph-capture",
            says=("Capture cuda graph failed", "Capture CUDA graph failed"),
            cause="SGLang could not capture its CUDA graphs, nearly always for want of GPU memory.",
            remedies=(Remedy("Lower `--mem-fraction-static` by 0.05 or `--cuda-graph-max-bs`."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="sgl-project/sglang:python/sglang/srt/model_executor/cuda_graph_runner.py",
        ),
        Signature(
            id="gpu-memory-batch",
            says=(
                "Prefill out of memory. Try to lower your batch size",
                "Decode out of memory. Try to lower your batch size",
            ),
            pattern=Pattern(r"(?P<step>Prefill|Decode) out of memory"),
            cause="{step} found no room in SGLang's KV pool, and the scheduler ended.",
            remedies=(Remedy("Lower `--max-running-requests` or `--chunked-prefill-size`."), DELETE_POD),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            restart_helps=True,
            source="sgl-project/sglang:python/sglang/srt/mem_cache/common.py",
        ),
        Signature(
            id="gpu-memory-prefill-tokens",
            says=("You need to decrease `--max-batch-prefill-tokens`",),
            pattern=Pattern(r"(?:handle (?P<tokens>\d{1,9}) prefill tokens.{0,10})?You need to decrease"),
            cause="The GPU has no room for a batch[ of {tokens} prefill tokens] beside the weights (TGI).",
            remedies=(
                Remedy(
                    "Lower `--max-batch-prefill-tokens` (and `--max-input-tokens`), or use more shards (`--num-shard`)."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="huggingface/text-generation-inference:server/text_generation_server/models/flash_causal_lm.py",
        ),
        Signature(
            id="gpu-memory-retracted",
            says=("KV cache pool is full. Retract requests",),
            cause="The KV cache is full: SGLang puts running requests back into the queue.",
            remedies=(Remedy("Add a replica, or lower `--max-running-requests`; it costs speed, nothing fails."),),
            blames=(Blame.ARGUMENTS,),
            sense=Sense.NOTICE,
            source="sgl-project/sglang:python/sglang/srt/managers/scheduler.py",
        ),
    ),
)
