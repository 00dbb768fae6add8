"""How many GPUs the engine wants, against how many there are, and sizes that do not divide."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature, Values

_EQUAL = Remedy(
    "Make the two equal: `nvidia.com/gpu` in the container's limits, and `--tensor-parallel-size` × "
    "`--pipeline-parallel-size`."
)
_RAY = "vllm-project/vllm:vllm/v1/executor/ray_utils.py"
_ADVICE = "More nodes would not help where the container's own GPU limit is smaller than what the engine asks for."


def _bundles(values: Values) -> Values:
    """GPUs asked for: one for each `{'GPU': 1.0}`."""
    count = values.get("specs", "").count("'GPU'")
    return {"gpus": str(count)} if count else {}


def _heads(values: Values) -> Values:
    """Tensor-parallel sizes that divide the heads and are usual."""
    heads = int(values.get("heads", "0"))
    fits = [str(size) for size in (1, 2, 4, 8, 16, 32) if heads and heads % size == 0]
    return {"fits": ", ".join(fits)}


FAMILY = Family(
    "parallel sizes",
    (
        Signature(
            id="parallel-waits-for-ray",
            says=("Waiting for creating a placement group of specs for",),
            pattern=Pattern(r"specs for (?P<seconds>\d{1,7}) seconds\.?(?: specs=(?P<specs>\[.{0,1000}?\]))?"),
            derive=_bundles,
            cause="[The engine wants {gpus} GPUs. ]It has waited {seconds} s for Ray to hand out GPUs and gets none.",
            remedies=(
                _EQUAL,
                Remedy(
                    "If the replica spans several pods: see that all of them joined Ray.",
                    "kubectl -n <namespace> exec <pod> -c <container> -- ray status",
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            sense=Sense.WAITING,
            rank=Rank.ROOT,
            note=_ADVICE,
            source=_RAY + ", vllm-project/vllm#25775",
        ),
        Signature(
            id="parallel-ray-no-node",
            says=("No available node types can fulfill resource request", "Cannot provide a placement group requiring"),
            pattern=Pattern(r"(?:resource request (?P<request>\{.{1,80}?\})|placement group requiring)"),
            cause="Ray has no node with the GPUs that the engine asks for[ ({request} each)].",
            remedies=(_EQUAL,),
            blames=(Blame.ARGUMENTS,),
            sense=Sense.WAITING,
            rank=Rank.SPECIFIC,
            note=_ADVICE,
            source="ray-project/ray:python/ray/autoscaler",
        ),
        Signature(
            id="parallel-more-than-ray-has",
            says=("exceeds the total number of available GPUs in the placement group",),
            cause="Tensor × pipeline parallel is larger than the number of GPUs in Ray's placement group.",
            remedies=(_EQUAL,),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_RAY,
        ),
        Signature(
            id="parallel-more-than-gpus",
            says=("is larger than the number of available GPUs", "cannot be larger than the number of available GPUs"),
            pattern=Pattern(
                r"(?:World size|Tensor parallel size) \((?P<wanted>\d{1,5})\)(?:.{0,60}?available GPUs "
                r"\((?P<present>\d{1,5})\))?"
            ),
            cause="The engine wants {wanted} GPUs[ and its container has {present}].",
            remedies=(_EQUAL,),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            note=_ADVICE,
            source="vllm-project/vllm:vllm/config/parallel.py",
        ),
        Signature(
            id="parallel-sharded-without-gpus",
            says=("`sharded` is true but only found", "--num-shard and CUDA_VISIBLE_DEVICES"),
            pattern=Pattern(
                r"only found (?P<present>\d{1,4}) CUDA devices|NVIDIA_VISIBLE_DEVICES are not set|are not set"
            ),
            cause="TGI shall shard the model and finds too few GPUs[: {present}].",
            remedies=(Remedy("Set `--num-shard` to the container's `nvidia.com/gpu` limit, or raise that limit."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="huggingface/text-generation-inference:launcher/src/main.rs",
        ),
        Signature(
            id="parallel-heads",
            says=("must be divisible by tensor parallel size",),
            pattern=Pattern(
                r"(?:attention heads \((?P<heads>\d{1,5})\) )?must be divisible by tensor parallel size "
                r"\((?P<size>\d{1,5})\)"
            ),
            derive=_heads,
            cause="Tensor parallel {size} does not divide the model's[ {heads}] attention heads.",
            remedies=(
                Remedy("Set `--tensor-parallel-size` to a divisor[: {fits}], and the GPU limit to the same number."),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/config/model.py",
        ),
        Signature(
            id="parallel-quantization-block",
            says=("is not divisible by weight quantization block",),
            pattern=Pattern(
                r"(?:size (?:= )?(?P<part>\d{1,7}) )?is not divisible by weight quantization "
                r"(?P<block>block_[nk])(?: ?= ?(?P<block_size>\d{1,5}))?"
            ),
            cause="With this tensor parallel size the model's layers are cut into parts[ of {part}] that the FP8 "
            "blocks[ of {block_size}] do not divide.",
            remedies=(Remedy("Use a smaller `--tensor-parallel-size`, or `--enable-expert-parallel`."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/model_executor/layers/quantization/fp8.py",
        ),
        Signature(
            id="parallel-marlin-tile",
            says=("is not divisible by tile_n_size", "is not divisible by min_thread_n"),
            pattern=Pattern(r"(?:size_n|output_size_per_partition) = (?P<part>\d{1,7})"),
            cause="With this tensor parallel size a layer is {part} wide, which the weight-only kernel for older GPUs "
            "cannot split.",
            remedies=(
                Remedy(
                    "Use `--tensor-parallel-size 2`, a BF16 checkpoint, or GPUs with FP8 of their own (Ada, Hopper, "
                    "Blackwell)."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="zai-org/GLM-4.5#23, #94",
        ),
        Signature(
            id="parallel-nodes",
            says=("must be divisible by number of nodes", "must evenly divide the total"),
            cause="The number of nodes does not divide the engine's ranks.",
            remedies=(
                Remedy(
                    "Choose `--nnodes` so that tensor × pipeline parallel is a multiple of it, and start one pod for "
                    "each."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="sgl-project/sglang:python/sglang/srt/server_args.py, vllm-project/vllm:vllm/config/parallel.py",
        ),
        Signature(
            id="parallel-pipeline-unsupported",
            says=("Pipeline parallelism is not supported for this model",),
            cause="The model cannot be split into pipeline stages in this engine version.",
            remedies=(Remedy("Use tensor parallel only: `--pipeline-parallel-size 1`."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/config/model.py",
        ),
    ),
)
