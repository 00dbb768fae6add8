"""Lines about the driver, CUDA, the card itself and its kind."""

import pytest

from tests.serving.lines import Said, check, params

_BROKEN = ": the engine's GPU context is broken."

DRIVER = (
    Said(
        "driver-too-old",
        "RuntimeError: The NVIDIA driver on your system is too old (found version 12040). Please update your GPU driver",
        "The node's driver is too old for this image: the driver supports CUDA 12.4, the image is built for CUDA 13 or newer.",
        "CUDA 12 build",
    ),
    Said(
        "driver-too-old",
        "RuntimeError: The NVIDIA driver on your system is too old.",
        "The node's driver is too old for this image.",
    ),
    Said(
        "driver-insufficient",
        "RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version",
        "The image's CUDA is of a newer major version than the node's driver supports.",
        "cu129",
    ),
    Said(
        "driver-requirement",
        "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.0, please update your driver to a newer version",
        "The container was not started: the image asks for a driver with CUDA 13.0 or newer.",
    ),
    Said(
        "driver-ptx",
        "RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.",
        "The image compiles kernels with a newer CUDA toolkit than the driver can translate.",
        "575",
    ),
    Said(
        "driver-compat-mix",
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 803: system has unsupported display driver / cuda driver combination",
        "The container loads a compatibility libcuda of its own that does not fit the node's driver (error 803).",
        "LD_LIBRARY_PATH",
    ),
    Said(
        "driver-forward-compatibility",
        "RuntimeError: Error 804: forward compatibility was attempted on non supported HW",
        "The image's CUDA compatibility package does not work on this kind of GPU (error 804), or the driver's library and kernel module differ.",
    ),
    Said(
        "fabric-manager",
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that "
        "might have already set an error? Error 802: system not yet initialized",
        "CUDA waits for the NVSwitch fabric (error 802): nvidia-fabricmanager does not run on the node, or its version is not the same as the driver's.",
        "exactly the driver's version",
    ),
    Said(
        "nvml-mismatch",
        "E1130 11:56:38.417350       1 factory.go:112] failed to initialize NVML: Driver/library version mismatch",
        "The driver's libraries on the node were upgraded while the older kernel module is still loaded.",
        "reboot",
    ),
    Said(
        "nvml-unknown-error",
        "[gpu-sampler 2026-11-30T11:01:00Z] nvidia-smi:\nFailed to initialize NVML: Unknown Error",
        "This container lost access to its GPU: its device rules were rewritten (`systemctl daemon-reload` on the node does that to "
        "containers that were started before).",
        "Delete the pod",
    ),
    Said(
        "driver-not-loaded",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
        "The NVIDIA kernel module is not loaded on the node.",
    ),
    Said(
        "driver-library-missing",
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
        "The driver's library is not in the container: it was started without the nvidia runtime, or without a GPU.",
        "nvidia.com/gpu",
    ),
    Said(
        "driver-missing",
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver",
        "The container sees no NVIDIA driver.",
    ),
    Said(
        "driver-not-answering",
        "nvidia-container-cli: initialization error: driver rpc error: timed out: unknown",
        "The node's GPU driver does not answer the container toolkit in time: it hangs, or still starts.",
    ),
    Said(
        "runtime-driver-not-selectable",
        'Error response from daemon: could not select device driver "" with capabilities: [[gpu]]',
        "The node's container runtime cannot hand out GPUs: the NVIDIA container toolkit is missing or broken there.",
    ),
)
CUDA = (
    Said(
        "cuda-illegal-memory-access",
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
        "A CUDA kernel touched memory it may not: the engine's GPU context is broken and every further request fails.",
        "Delete the pod",
    ),
    Said(
        "cuda-illegal-instruction",
        "RuntimeError: CUDA error: an illegal instruction was encountered",
        "A CUDA kernel hit an illegal instruction" + _BROKEN,
    ),
    Said(
        "cuda-misaligned-address",
        "RuntimeError: CUDA error: misaligned address",
        "A CUDA kernel used a misaligned address" + _BROKEN,
    ),
    Said(
        "cuda-launch-failure",
        "RuntimeError: CUDA error: unspecified launch failure",
        "A CUDA kernel failed for a reason it does not tell" + _BROKEN,
    ),
    Said(
        "cuda-launch-timeout",
        "RuntimeError: CUDA error: the launch timed out and was terminated",
        "A CUDA kernel ran too long and was ended" + _BROKEN,
    ),
    Said(
        "cuda-assert",
        "RuntimeError: CUDA error: device-side assert triggered",
        "A check inside a CUDA kernel failed, mostly an index out of range: wrong token ids, a tokenizer or LoRA that does not fit.",
    ),
    Said(
        "cuda-library-failed",
        "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx(...)`",
        "A CUDA library call failed, as it does after an earlier CUDA error or with full GPU memory.",
    ),
    Said(
        "cuda-no-kernel-image",
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        "The image holds no kernels for this GPU's architecture.",
    ),
    Said(
        "cuda-architecture-missing",
        "NVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.",
        "The image's PyTorch has no kernels for this GPU (sm_100).",
    ),
    Said(
        "cuda-no-device",
        "RuntimeError: Failed to infer device type, please set the environment variable",
        "The engine sees no GPU in its container.",
        "nvidia.com/gpu",
    ),
    Said("cuda-no-device", "RuntimeError: No CUDA GPUs are available", "The engine sees no GPU in its container."),
    Said(
        "cuda-unavailable",
        "AssertionError: Torch not compiled with CUDA enabled",
        "The image's PyTorch is a CPU build.",
    ),
    Said(
        "cuda-unknown-error",
        "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable",
        "CUDA could not start in this container: a device file is missing (/dev/nvidia-uvm), or the driver is in a bad state.",
    ),
    Said(
        "cuda-device-busy",
        "RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable",
        "The GPU is held exclusively by another process, or is in an error state.",
    ),
    Said(
        "cuda-device-ordinal",
        "RuntimeError: CUDA error: invalid device ordinal",
        "The engine asks for a GPU number that its container does not have: more ranks than GPUs.",
    ),
    Said(
        "cuda-forked",
        "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method",
        "Something initialised CUDA before the engine forked its workers, a plugin or a wrapper script.",
    ),
    Said(
        "cuda-mps",
        "RuntimeError: CUDA error: MPS client failed to connect to the MPS control daemon or the MPS server",
        "The container is set up for MPS and reaches no MPS control daemon on the node.",
    ),
)
HARDWARE = (
    Said(
        "gpu-fell-off-the-bus",
        "NVRM: Xid (PCI:0000:05:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        "The node lost a GPU: the driver no longer reaches it over PCIe (Xid 79).",
        "power-cycle",
    ),
    Said(
        "gpu-ecc",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "The GPU met a memory error that it could not correct.",
    ),
    Said(
        "gpu-nvlink",
        "RuntimeError: CUDA error: uncorrectable NVLink error was detected during the execution",
        "An NVLink between GPUs failed during the run.",
    ),
    Said(
        "xid-hardware",
        "NVRM: Xid (PCI:0000:3b:00): 119, pid='<unknown>', name=<unknown>, Timeout waiting for RPC from GSP!",
        "The driver reports Xid 119 for the GPU at 0000:3b:00: a fault of the card, its link or its firmware.",
    ),
    Said(
        "xid-application",
        "NVRM: Xid (PCI:0000:18:00): 31, MMU Fault",
        "The driver reports Xid 31 for the GPU at 0000:18:00: in most cases the program did something wrong there.",
    ),
    Said(
        "xid-application",
        "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=12",
        "The driver reports Xid 94 for the GPU at 0000:01:00: in most cases the program did something wrong there.",
    ),
    Said(
        "xid-other",
        "NVRM: Xid (PCI:0000:18:00): 63, Row Remapper",
        "The driver reports Xid 63 for the GPU at 0000:18:00.",
    ),
)
KIND = (
    Said(
        "model-no-attention-backend",
        "ValueError: No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, dtype=torch.bfloat16, use_sparse=True)",
        "No attention or matrix kernel of this engine runs this model on this kind of GPU.",
        "Hopper",
    ),
    Said(
        "model-deepgemm-missing",
        "RuntimeError: DeepGEMM backend is not available or outdated. Please install or update the `deep_gemm`",
        "The model needs DeepGEMM, and the image has none or too old a one.",
    ),
    Said(
        "model-bfloat16",
        "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla V100-SXM2-32GB GPU has compute capability 7.0.",
        "This GPU (Tesla V100-SXM2-32GB, compute capability 7.0) is too old for BF16.",
    ),
    Said(
        "model-quantization-gpu",
        "ValueError: The quantization method fp8 is not supported for the current GPU. Minimum capability: 89. Current capability: 86.",
        "Quantization fp8 needs compute capability 89, this GPU has 86.",
    ),
    Said(
        "model-fp8-emulated",
        "WARNING 11-30 11:50:08 [marlin_utils_fp8.py:54] Your GPU does not have native support for FP8 computation but FP8 quantization is being used.",
        "This GPU has no FP8 units: the engine runs FP8 weights through a slower kernel.",
    ),
)
TABLE = (*DRIVER, *CUDA, *HARDWARE, *KIND)


@pytest.mark.parametrize("said", params(TABLE))
def test_a_line_about_driver_or_card_is_explained(said: Said) -> None:
    check(said)
