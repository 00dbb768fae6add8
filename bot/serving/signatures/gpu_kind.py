"""The model or its format does not run on this kind of GPU."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature

_OTHER_GPU = Remedy("Run it on another kind of GPU, or take a checkpoint in another format (BF16, INT4).")
_VLLM = "vllm-project/vllm:vllm/"

FAMILY = Family(
    "kind of GPU",
    (
        Signature(
            id="model-no-attention-backend",
            says=(
                "No valid attention backend found for",
                "Unsupported architecture for DeepGEMM",
                "Assertion error (deep_gemm",
            ),
            pattern=Pattern(
                r"attention backend found for (?P<device>\w{2,12}) with|Unsupported architecture|deep_gemm"
            ),
            cause="No attention or matrix kernel of this engine runs this model on this kind of GPU.",
            remedies=(
                Remedy(
                    "Sparse attention (GLM-5, DeepSeek V3.2) needs Hopper or B200/B300: use such GPUs, or another "
                    "model."
                ),
                Remedy("Else check `--kv-cache-dtype` and `VLLM_ATTENTION_BACKEND`: leave both at their defaults."),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            note="The card is not broken, it is of the wrong kind.",
            source=_VLLM + "platforms/cuda.py",
        ),
        Signature(
            id="model-deepgemm-missing",
            says=("DeepGEMM backend is unavailable", "DeepGEMM backend is not available or outdated"),
            cause="The model needs DeepGEMM, and the image has none or too old a one.",
            remedies=(
                Remedy("Use the engine's official image."),
                Remedy("Where the model allows it: `VLLM_USE_DEEP_GEMM=0`."),
            ),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            source=_VLLM + "utils/deep_gemm.py",
        ),
        Signature(
            id="model-bfloat16",
            says=("Bfloat16 is only supported on GPUs with compute capability of at least 8.0",),
            pattern=Pattern(
                r"at least 8\.0(?:\. Your (?P<gpu>.{1,60}?) GPU has compute capability (?P<capability>\d{1,2}\.\d))?"
            ),
            cause="This GPU[ ({gpu}, compute capability {capability})] is too old for BF16.",
            remedies=(
                Remedy("Try `--dtype half`, if the model tolerates it (some, such as Gemma, give nonsense in FP16)."),
                Remedy("Or run it on a GPU of compute capability 8.0 or more (A100, A10, L4 and newer)."),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_VLLM + "platforms/cuda.py",
        ),
        Signature(
            id="model-quantization-gpu",
            says=("is not supported for the current GPU",),
            pattern=Pattern(
                r"quantization method (?P<method>[\w-]{1,40}) is not supported for the current GPU\. Minimum "
                r"capability: (?P<minimum>\d{2,3})\. "
                r"Current capability: (?P<capability>\d{2,3})"
            ),
            cause="Quantization {method} needs compute capability {minimum}, this GPU has {capability}.",
            remedies=(_OTHER_GPU,),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            note="The card is not broken, it is too old for this format.",
            source=_VLLM + "config/vllm.py",
        ),
        Signature(
            id="model-fp8-emulated",
            says=("Your GPU does not have native support for FP8 computation but",),
            cause="This GPU has no FP8 units: the engine runs FP8 weights through a slower kernel.",
            remedies=(Remedy("Nothing fails. For speed use Ada, Hopper or Blackwell GPUs."),),
            blames=(),
            sense=Sense.NOTICE,
            source=_VLLM + "model_executor/layers/quantization/utils/marlin_utils_fp8.py",
        ),
    ),
)
