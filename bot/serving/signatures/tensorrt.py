"""TensorRT, TensorRT-LLM and the Triton server: engines built for another place, models that do not load."""

from bot.domain.pattern import Pattern
from bot.serving.actions import READ_ABOVE
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature

_TRT_LLM = "NVIDIA/TensorRT-LLM:tensorrt_llm/"
_BUILD = Remedy("Build the engine again on this kind of GPU, with the release of the image that serves it.")

FAMILY = Family(
    "TensorRT",
    (
        Signature(
            id="tensorrt-other-gpu",
            says=("The engine plan file is generated on an incompatible device",),
            pattern=Pattern(
                r"incompatible device(?:[,.] expecting compute (?P<here>\d{1,2}\.\d) got compute "
                r"(?P<built>\d{1,2}\.\d))?"
            ),
            cause="The TensorRT engine was built for another kind of GPU[: compute capability {built}, and this one "
            "has {here}].",
            remedies=(
                _BUILD,
                Remedy(
                    "Or run the pod on the kind of GPU that the engine was built on (a nodeSelector keeps it there)."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            note="Neither the card nor the download is broken.",
            source="NVIDIA/TensorRT (error 6), NVIDIA/TensorRT-LLM#3031",
        ),
        Signature(
            id="tensorrt-other-version",
            says=(
                "The engine plan file is not compatible with this version of TensorRT",
                "Version tag does not match",
            ),
            pattern=Pattern(
                r"(?:this version of TensorRT(?:, expecting library version (?P<here>[\d.]{1,20}) got "
                r"(?:version )?(?P<built>[\d.]{1,20}\d))?|Version tag does not match)"
            ),
            cause="The TensorRT engine was built with another release of TensorRT[: {built}, and the image has "
            "{here}].",
            remedies=(_BUILD, Remedy("Or serve it with the image release that it was built with.")),
            blames=(Blame.IMAGE, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            note="Neither the card nor the download is broken.",
            source="NVIDIA/TensorRT, triton-inference-server/tensorrtllm_backend#424",
        ),
        Signature(
            id="tensorrt-gpu-memory",
            says=("Executor creation failed due to insufficient GPU memory",),
            pattern=Pattern(
                r"insufficient GPU memory(?:.{0,80}?could not be created: (?P<part>[\w -]{2,40}?) Total GPU memory "
                r"\(GiB\): (?P<total>[\d.]{1,8}\d))?"
            ),
            cause="TensorRT-LLM ran out of GPU memory while it started[: no room for the {part}, on GPUs of {total} "
            "GiB].",
            remedies=(
                Remedy("Lower what it plans for: `max_num_tokens`, `max_batch_size`, `max_seq_len`."),
                Remedy(
                    "For the KV cache: a smaller `free_gpu_memory_fraction` (kv_cache_config); with neighbours on the "
                    "GPU too."
                ),
                Remedy(
                    "Or spread the weights over more GPUs (`--tp_size`), and raise the GPU limit to the same number."
                ),
            ),
            blames=(Blame.GPU_MEMORY, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            note="This is the GPU's memory, not the container's.",
            source=_TRT_LLM + "_torch/pyexecutor/py_executor_creator.py",
        ),
        Signature(
            id="triton-model-failed",
            says=("failed to load '",),
            pattern=Pattern(
                r"failed to load '(?P<model>[^']{1,120})' version \d{1,9}: (?P<why>.{1,200}?)(?:\"|$| I\d{4})"
            ),
            cause="Triton could not load model {model}: {why}.",
            remedies=(
                Remedy("Correct that model in the repository; Triton ends when one model fails."),
                Remedy("To serve the others meanwhile: `--exit-on-error=false`, and load by name (`--load-model`)."),
            ),
            blames=(Blame.ARGUMENTS, Blame.STORAGE),
            rank=Rank.GENERAL,
            source="triton-inference-server/core:src/model_lifecycle.cc",
        ),
        Signature(
            id="triton-repository",
            says=("failed to poll model repository", "failed to stat file", "Poll failed for model directory"),
            pattern=Pattern(
                r"(?:Poll failed for model directory '(?P<model>[^']{1,120})': (?P<why>.{1,160})|failed to)"
            ),
            cause="Triton cannot read its model repository[: {model}: {why}].",
            remedies=(Remedy("Check the path (`--model-repository`), its mount, and each model's `config.pbtxt`."),),
            blames=(Blame.ARGUMENTS, Blame.STORAGE),
            source="triton-inference-server/core:src/model_repository_manager",
        ),
        Signature(
            id="triton-failed",
            says=("failed to load all models", "Failed to deserialize cuda engine"),
            cause="Triton ended because a model could not be loaded.",
            remedies=(READ_ABOVE,),
            blames=(),
            sense=Sense.SYMPTOM,
            rank=Rank.WRAPPER,
            restart_helps=None,
            note="This line names no cause.",
            source="triton-inference-server/server:src/main.cc",
        ),
    ),
)
