"""The NVIDIA driver and the image's CUDA do not fit, or the container cannot reach the driver."""

from bot.domain.pattern import Pattern
from bot.serving import driver
from bot.serving.actions import OTHER_IMAGE_DRIVER
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature, Values

_CUDA_DOCS = "docs.nvidia.com/deploy/cuda-compatibility"
_CUDA12 = Remedy(
    "Use the image's build for an older CUDA: a tag with `cu129` (CUDA 12.9) runs on drivers from 525.60.13 on."
)
_NOT_HARDWARE = "The GPU and the model are fine; restarting cannot help."


def _found(values: Values) -> Values:
    """`12040` is the CUDA version that the driver supports; the image's must be of a later major version."""
    supports = driver.decode(values.get("found", ""))
    if supports is None:
        return {}
    needs = driver.Version(supports.major + 1)
    minimum = driver.minimum_driver(needs)
    image = {"needs": f"CUDA {needs.major}", "older": f"CUDA {supports.major}"}
    return {"supports": f"CUDA {supports}", **image, **({"minimum": str(minimum.major)} if minimum else {})}


def _required(values: Values) -> Values:
    """What `cuda>=13.0` asks of the driver."""
    cuda = driver.version(values.get("cuda", ""))
    needed = driver.toolkit_driver(cuda) if cuda else None
    return {"driver": str(needed.major)} if needed else {}


FAMILY = Family(
    "driver",
    (
        Signature(
            id="driver-too-old",
            says=("The NVIDIA driver on your system is too old",),
            pattern=Pattern(r"too old(?: \(found version (?P<found>\d{4,6})\))?"),
            derive=_found,
            cause="The node's driver is too old for this image[: the driver supports {supports}, the image is built "
            "for {needs} or newer].",
            remedies=(
                Remedy("Use the[ {older}] build of the same image (vLLM: a tag with `cu129`)."),
                Remedy(
                    "Or upgrade the node's driver[ to {minimum} or newer]; `nvidia.com/cuda.driver-version.full` "
                    "shows its version."
                ),
            ),
            blames=(Blame.IMAGE, Blame.DRIVER),
            rank=Rank.ROOT,
            note=_NOT_HARDWARE,
            source="pytorch/pytorch:torch/csrc/cuda/Module.cpp, defilantech/LLMKube#1424",
        ),
        Signature(
            id="driver-insufficient",
            says=("CUDA driver version is insufficient for CUDA runtime version", "cudaErrorInsufficientDriver"),
            cause="The image's CUDA is of a newer major version than the node's driver supports.",
            remedies=(_CUDA12, OTHER_IMAGE_DRIVER),
            blames=(Blame.IMAGE, Blame.DRIVER),
            rank=Rank.ROOT,
            note=_NOT_HARDWARE,
            source=_CUDA_DOCS + " (error 35)",
        ),
        Signature(
            id="driver-requirement",
            says=("unsatisfied condition: cuda>=",),
            pattern=Pattern(r"unsatisfied condition: cuda>=(?P<cuda>\d{1,2}\.\d{1,2})"),
            derive=_required,
            cause="The container was not started: the image asks for a driver with CUDA {cuda} or newer.",
            remedies=(
                _CUDA12,
                Remedy(
                    "Or upgrade the node's driver[ to {driver} or newer]. Skipping the check only moves the failure."
                ),
            ),
            blames=(Blame.IMAGE, Blame.DRIVER),
            rank=Rank.ROOT,
            note=_NOT_HARDWARE,
            source="NVIDIA/libnvidia-container (NVIDIA_REQUIRE_CUDA)",
        ),
        Signature(
            id="driver-ptx",
            says=("the provided PTX was compiled with an unsupported toolchain", "cudaErrorUnsupportedPtxVersion"),
            cause="The image compiles kernels with a newer CUDA toolkit than the driver can translate.",
            remedies=(
                Remedy(
                    "Upgrade the driver to the toolkit's own version (CUDA 12.9: 575, 13.0: 580, 13.1: 590, 13.2: 595)."
                ),
                Remedy("Or use an image with an older CUDA."),
            ),
            blames=(Blame.IMAGE, Blame.DRIVER),
            rank=Rank.ROOT,
            note=_NOT_HARDWARE,
            source=_CUDA_DOCS + " (error 222)",
        ),
        Signature(
            id="driver-compat-mix",
            says=("system has unsupported display driver / cuda driver combination", "cudaErrorSystemDriverMismatch"),
            cause="The container loads a compatibility libcuda of its own that does not fit the node's driver (error "
            "803).",
            remedies=(
                Remedy(
                    "Put the host's library first: `LD_LIBRARY_PATH=/usr/local/nvidia/lib64`, and take "
                    "`/usr/local/cuda/compat` out."
                ),
                Remedy("Or use a newer image: vLLM images from 0.15.0 on had the compatibility library in front."),
            ),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            note=_NOT_HARDWARE,
            source="gpustack/gpustack#4678, vllm-project/vllm#33992",
        ),
        Signature(
            id="driver-forward-compatibility",
            says=("forward compatibility was attempted on non supported HW", "cudaErrorCompatNotSupportedOnDevice"),
            cause="The image's CUDA compatibility package does not work on this kind of GPU (error 804), or the "
            "driver's library and kernel module differ.",
            remedies=(
                Remedy("Use an image whose CUDA the driver supports by itself, or upgrade the driver."),
                Remedy("If `nvidia-smi` on the node reports a mismatch too: drain and reboot the node.", "nvidia-smi"),
            ),
            blames=(Blame.IMAGE, Blame.DRIVER),
            rank=Rank.ROOT,
            source=_CUDA_DOCS + " (error 804)",
        ),
    ),
)
