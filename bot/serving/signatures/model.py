"""The image does not know the model, or the GPU cannot run it."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_NEWER = Remedy("Use a newer image of the engine, one whose release notes name this model.")
_IMAGE = "The image is at fault, not the GPUs and not the weights; a restart cannot help."
_VLLM = "vllm-project/vllm:vllm/"

FAMILY = Family(
    "model",
    (
        Signature(
            id="model-type-unknown",
            says=("but Transformers does not recognize this architecture",),
            pattern=Pattern(r"model type [`'\"]?(?P<type>[\w.-]{1,80})[`'\"]? but Transformers"),
            cause="The image's Transformers library is too old for this model: it does not know the model type "
            "`{type}`.",
            remedies=(
                Remedy(
                    "Use an image tag that supports `{type}` (a newer release of the engine brings a newer "
                    "Transformers)."
                ),
            ),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            note=_IMAGE,
            source="huggingface/transformers:src/transformers/models/auto/configuration_auto.py, zai-org/GLM-5#22",
        ),
        Signature(
            id="model-architecture-unsupported",
            says=("are not supported for now",),
            pattern=Pattern(r"Model architectures \[(?P<architecture>[^\]]{1,160})\] are not supported for now"),
            cause="The image's engine is too old for this model: it does not know the architecture {architecture}.",
            remedies=(_NEWER,),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            note=_IMAGE,
            source=_VLLM + "model_executor/models/registry.py",
        ),
        Signature(
            id="model-architecture-without-implementation",
            says=("has no vLLM implementation", "Unsupported architectures:", "Unsupported model type"),
            pattern=Pattern(
                r"(?:Unsupported (?:architectures:|model type) ?(?P<architecture>[\w.,'\[\] -]{1,120})|has no vLLM)"
            ),
            cause="This engine version has no implementation of the model[: {architecture}].",
            remedies=(_NEWER, Remedy("Or serve it with another engine.")),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            note=_IMAGE,
            source=_VLLM + "model_executor/models/registry.py, huggingface/text-generation-inference:server",
        ),
        Signature(
            id="model-inspection-failed",
            says=("failed to be inspected. Please check the logs",),
            pattern=Pattern(r"architectures \[(?P<architecture>[^\]]{1,160})\] failed to be inspected"),
            cause="The code of {architecture} could not be imported.",
            remedies=(
                Remedy(
                    "Read the traceback above it: mostly a CUDA or driver mismatch, or a library that is missing in "
                    "the image."
                ),
            ),
            blames=(Blame.IMAGE, Blame.DRIVER),
            rank=Rank.CONSEQUENCE,
            source=_VLLM + "model_executor/models/registry.py",
        ),
        Signature(
            id="model-custom-code",
            says=(
                "contains custom code which must be executed",
                "requires you to execute the configuration file",
                "Please pass the argument `trust_remote_code=True`",
            ),
            cause="The model brings Python code of its own, which the engine runs only if allowed.",
            remedies=(
                Remedy(
                    "Read that code, then add `--trust-remote-code`; newer engines know many of these models without "
                    "it."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="huggingface/transformers:src/transformers/dynamic_module_utils.py",
        ),
        Signature(
            id="model-quantization-mismatch",
            says=("does not match the quantization method specified",),
            pattern=Pattern(
                r"model config \((?P<checkpoint>[\w-]{1,40})\) does not match .{0,80}argument "
                r"\((?P<argument>[\w-]{1,40})\)"
            ),
            cause="`--quantization {argument}` contradicts the checkpoint, which is {checkpoint}.",
            remedies=(Remedy("Leave `--quantization` out: the engine reads the method from the checkpoint."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_VLLM + "config/model.py",
        ),
        Signature(
            id="model-quantization-unknown",
            says=("Unknown quantization method", "Invalid quantization method"),
            pattern=Pattern(r"quantization method:? ['\"]?(?P<method>[\w-]{1,40})"),
            cause="This engine version does not know the quantization {method}.",
            remedies=(_NEWER, Remedy("Or a checkpoint in a format that it knows (FP8, AWQ, GPTQ).")),
            blames=(Blame.IMAGE, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            source=_VLLM + "config/model.py",
        ),
        Signature(
            id="model-checkpoint-mismatch",
            says=(
                "There is no module or parameter named",
                "Following weights were not initialized from checkpoint",
                "KeyError: 'model.layers.",
                "size mismatch for",
            ),
            pattern=Pattern(
                r"(?:parameter named ['\"]?(?P<name>[\w.]{1,120})|KeyError: '(?P<key>model\.layers\.[\w.]{1,120})|"
                r"not initialized from checkpoint"
                r"|size mismatch for (?P<other>[\w.]{1,120}))"
            ),
            cause="The checkpoint's tensors are not those this engine version expects[: {name}][: {key}][: {other}].",
            remedies=(
                Remedy(
                    "Use the engine version that the model's page names, and the official variant of the checkpoint "
                    "(not a mix of revisions)."
                ),
            ),
            blames=(Blame.IMAGE, Blame.DOWNLOAD),
            source=_VLLM + "model_executor/models/utils.py",
        ),
        Signature(
            id="model-tokenizer-unknown",
            says=("does not exist or is not currently imported",),
            pattern=Pattern(r"Tokenizer class (?P<tokenizer>[\w.]{1,80}) does not exist"),
            cause="The image's Transformers library does not know the model's tokenizer ({tokenizer}).",
            remedies=(_NEWER,),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            note=_IMAGE,
            source="huggingface/transformers:src/transformers/models/auto/tokenization_auto.py",
        ),
    ),
)
