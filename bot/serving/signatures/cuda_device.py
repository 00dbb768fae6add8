"""No GPU in the container, one of the wrong kind, or one that is not free."""

from bot.domain.pattern import Pattern
from bot.serving.actions import DELETE_POD, SEE_GPU
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_NO_DEVICE = Remedy(
    "Check `nvidia.com/gpu` in this container's limits, `runtimeClassName: nvidia`, and that nobody sets "
    "`CUDA_VISIBLE_DEVICES`."
)


FAMILY = Family(
    "CUDA devices",
    (
        Signature(
            id="cuda-no-kernel-image",
            says=("no kernel image is available for execution on the device", "cudaErrorNoKernelImageForDevice"),
            cause="The image holds no kernels for this GPU's architecture.",
            remedies=(
                Remedy(
                    "Use an image built for this GPU (Blackwell needs CUDA 12.8 or newer; V100 and older were dropped "
                    "from recent images)."
                ),
            ),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            note="The GPU and the driver are fine.",
            source="docs.nvidia.com/cuda (error 209)",
        ),
        Signature(
            id="cuda-architecture-missing",
            says=("is not compatible with the current PyTorch installation",),
            pattern=Pattern(r"with CUDA capability (?P<capability>sm_\d{2,3}a?) is not compatible"),
            cause="The image's PyTorch has no kernels for this GPU ({capability}).",
            remedies=(Remedy("Use an image built for {capability}, or another kind of GPU."),),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            source="pytorch/pytorch:torch/cuda/__init__.py",
        ),
        Signature(
            id="cuda-no-device",
            says=("No CUDA GPUs are available", "no CUDA-capable device is detected", "Failed to infer device type"),
            cause="The engine sees no GPU in its container.",
            remedies=(_NO_DEVICE, SEE_GPU),
            blames=(Blame.NODE, Blame.ARGUMENTS),
            restart_helps=None,
            source="vllm-project/vllm:vllm/config/device.py, pytorch/pytorch:torch/csrc/cuda/Module.cpp",
        ),
        Signature(
            id="rocm-no-device",
            says=("No HIP GPUs are available", "no ROCm-capable device is detected", "hipErrorNoDevice"),
            cause="The engine sees no AMD GPU in its container.",
            remedies=(
                Remedy("Check `amd.com/gpu` in this container's limits, and that nobody sets `HIP_VISIBLE_DEVICES`."),
                Remedy(
                    "As another user than root it needs the groups of /dev/kfd and /dev/dri (video, render): "
                    "`supplementalGroups`."
                ),
                Remedy(
                    "See whether the container sees the GPUs.",
                    "kubectl -n <namespace> exec <pod> -c <container> -- rocm-smi",
                ),
            ),
            blames=(Blame.NODE, Blame.ARGUMENTS),
            restart_helps=None,
            source="pytorch/pytorch:torch/cuda/__init__.py (ROCm builds), ROCm/HIP (hipError_t)",
        ),
        Signature(
            id="cuda-unavailable",
            says=("Torch not compiled with CUDA enabled",),
            cause="The image's PyTorch is a CPU build.",
            remedies=(Remedy("Use the engine's CUDA image; a `pip install` in a derived image often replaces torch."),),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            source="pytorch/pytorch:torch/cuda/__init__.py",
        ),
        Signature(
            id="cuda-unknown-error",
            says=("CUDA unknown error - this may be due to an incorrectly set up environment",),
            cause="CUDA could not start in this container: a device file is missing (/dev/nvidia-uvm), or the driver "
            "is in a bad state.",
            remedies=(
                Remedy(
                    "Try another GPU pod on the same node: if it fails too, reload the driver or reboot the node; "
                    "else delete this pod."
                ),
                SEE_GPU,
            ),
            blames=(Blame.NODE, Blame.DRIVER),
            restart_helps=None,
            source="pytorch/pytorch:c10/cuda/CUDAFunctions.cpp",
        ),
        Signature(
            id="cuda-device-busy",
            says=(
                "all CUDA-capable devices are busy or unavailable",
                "CUDA-capable device(s) is/are busy or unavailable",
            ),
            cause="The GPU is held exclusively by another process, or is in an error state.",
            remedies=(
                Remedy("See compute mode and processes on the node.", "nvidia-smi -q -d COMPUTE && nvidia-smi"),
                DELETE_POD,
            ),
            blames=(Blame.OTHER_PROCESS, Blame.HARDWARE),
            restart_helps=None,
            source="docs.nvidia.com/cuda (error 46)",
        ),
        Signature(
            id="cuda-device-ordinal",
            says=("CUDA error: invalid device ordinal",),
            cause="The engine asks for a GPU number that its container does not have: more ranks than GPUs.",
            remedies=(
                Remedy(
                    "Make `--tensor-parallel-size` × `--pipeline-parallel-size` equal to the container's "
                    "`nvidia.com/gpu` limit."
                ),
                Remedy("Do not set `CUDA_VISIBLE_DEVICES` by hand."),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="docs.nvidia.com/cuda (error 101)",
        ),
        Signature(
            id="cuda-mps",
            says=("cudaErrorMpsConnectionFailed", "MPS client failed to connect to the MPS control daemon"),
            cause="The container is set up for MPS and reaches no MPS control daemon on the node.",
            remedies=(
                Remedy(
                    "Look at the device plugin's MPS daemon pod on that node; mount its pipe directory, or unset "
                    "`CUDA_MPS_PIPE_DIRECTORY`."
                ),
            ),
            blames=(Blame.NODE,),
            rank=Rank.ROOT,
            source="docs.nvidia.com/cuda (error 805)",
        ),
    ),
)
