"""Somebody else has the GPU's memory, or the engine is told to take more than a card has."""

from bot.domain.pattern import Pattern
from bot.serving.actions import DELETE_POD
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature, Values

_STARTUP = Pattern(
    r"Free memory on device (?:cuda:(?P<gpu>\d{1,3}) )?\((?P<free>[\d.]{1,9})/(?P<total>[\d.]{1,9}) GiB\) on startup "
    r"is less "
    r"than desired GPU memory utilization \((?P<share>[\d.]{1,6}), (?P<wanted>[\d.]{1,9}) GiB\)"
)
_OWN_SHARE_GIB = 4.0  # a CUDA context, the display, rounding: no other process needs to be there
_CARD_IS_FINE = "The card itself is fine."


def _held(values: Values) -> Values | None:
    held = float(values["total"]) - float(values["free"])
    return {"held": f"{held:.2f}".rstrip("0").rstrip(".")} if held > _OWN_SHARE_GIB else None


def _nearly_free(values: Values) -> Values | None:
    return None if _held(values) else {}


FAMILY = Family(
    "GPU memory held",
    (
        Signature(
            id="gpu-memory-held-by-another",
            says=("on startup is less than desired GPU memory utilization",),
            pattern=_STARTUP,
            derive=_held,
            cause="Something else already holds {held} of the {total} GiB[ on GPU {gpu}]: {free} GiB are free, the "
            "engine wants {wanted} GiB (a share of {share}).",
            remedies=(
                Remedy(
                    "On the node, see which processes hold it: a pod that uses the nvidia runtime or "
                    "`NVIDIA_VISIBLE_DEVICES` without a GPU request, a left-over process, a shared GPU.",
                    "nvidia-smi --query-compute-apps=gpu_bus_id,pid,name,used_memory --format=csv",
                ),
                Remedy("Stop or move that one, or make it request a GPU of its own; then delete this pod."),
            ),
            blames=(Blame.OTHER_PROCESS,),
            rank=Rank.ROOT,
            restart_helps=None,
            note="The card is large enough and not broken; the scheduler only counts requests.",
            source="vllm-project/vllm:vllm/v1/worker/utils.py, ai-dynamo/nixl#1913",
        ),
        Signature(
            id="gpu-memory-share-too-high",
            says=("on startup is less than desired GPU memory utilization",),
            pattern=_STARTUP,
            derive=_nearly_free,
            cause="The engine is told to take {wanted} GiB (a share of {share}), but an empty card[ (GPU {gpu})] has "
            "only {free} of {total} GiB: the driver keeps the rest.",
            remedies=(Remedy("Set `--gpu-memory-utilization` to 0.92 or less."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/v1/worker/utils.py",
        ),
        Signature(
            id="gpu-memory-changed-while-profiling",
            says=("Error in memory profiling. Initial free memory",),
            cause="Another process took or gave back GPU memory while the engine measured it.",
            remedies=(
                Remedy(
                    "Find the other user of the GPU (shared GPU, second engine, a pod that is still ending) and wait "
                    "for its end."
                ),
                DELETE_POD,
            ),
            blames=(Blame.OTHER_PROCESS,),
            rank=Rank.ROOT,
            restart_helps=True,
            note=_CARD_IS_FINE,
            source="vllm-project/vllm:vllm/v1/worker/gpu_worker.py",
        ),
        Signature(
            id="gpu-memory-unbalanced",
            says=("The memory capacity is unbalanced. Some GPUs may be occupied by other processes",),
            cause="Some of the pod's GPUs have much less free memory than others: something else uses them.",
            remedies=(
                Remedy(
                    "On the node, see who holds them, and end it.",
                    "nvidia-smi --query-compute-apps=gpu_bus_id,pid,name,used_memory --format=csv",
                ),
                DELETE_POD,
            ),
            blames=(Blame.OTHER_PROCESS,),
            rank=Rank.ROOT,
            restart_helps=None,
            source="sgl-project/sglang:python/sglang/srt/model_executor/model_runner.py",
        ),
    ),
)
