"""The container or the node cannot use the driver: library and module differ, access lost, set-up missing."""

from bot.domain.pattern import Pattern
from bot.serving.actions import SEE_GPU
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_FABRIC = "docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide, NVIDIA/gpu-operator#1043"


FAMILY = Family(
    "driver set-up",
    (
        Signature(
            id="fabric-manager",
            says=("system not yet initialized", "cudaErrorSystemNotReady"),
            cause="CUDA waits for the NVSwitch fabric (error 802): nvidia-fabricmanager does not run on the node, or "
            "its version is not the same as the driver's.",
            remedies=(
                Remedy(
                    "On the node, install or start nvidia-fabricmanager in exactly the driver's version.",
                    "systemctl status nvidia-fabricmanager && nvidia-smi -q | grep -A2 Fabric",
                ),
                Remedy("Then restart the GPU Operator's validator pod and this pod."),
            ),
            blames=(Blame.NODE,),
            rank=Rank.ROOT,
            note="`nvidia-smi` lists all GPUs all the same. The image and the driver are not at fault.",
            source=_FABRIC,
        ),
        Signature(
            id="nvml-mismatch",
            says=(
                "to initialize NVML: Driver/library version mismatch",
                "NVML: Driver/library version mismatch",
                "NVMLError_LibRmVersionMismatch",
            ),
            cause="The driver's libraries on the node were upgraded while the older kernel module is still loaded.",
            remedies=(
                Remedy(
                    "Cordon the node, move what runs there, and reboot.",
                    "kubectl cordon <node> && kubectl drain <node> --ignore-daemonsets",
                ),
                Remedy("Keep nvidia packages out of unattended upgrades (`apt-mark hold 'nvidia-*' 'libnvidia-*'`)."),
            ),
            blames=(Blame.NODE,),
            rank=Rank.ROOT,
            note="Pods that already use the GPU go on; no new one can start. Restarting pods does not help.",
            source="NVIDIA/k8s-device-plugin#1431",
        ),
        Signature(
            id="nvml-unknown-error",
            says=("to initialize NVML: Unknown Error", "NVMLError_Unknown: Unknown Error"),
            cause="This container lost access to its GPU: its device rules were rewritten (`systemctl daemon-reload` "
            "on the node does that to containers that were started before).",
            remedies=(
                Remedy("Delete the pod: a new container gets the GPU back.", "kubectl -n <namespace> delete pod <pod>"),
                Remedy(
                    "For good: use CDI in the container toolkit, or create the /dev/char links (`nvidia-ctk system "
                    "create-dev-char-symlinks`)."
                ),
            ),
            blames=(Blame.NODE,),
            rank=Rank.ROOT,
            restart_helps=None,
            note="If `nvidia-smi` on the node works, GPU and driver are fine; other pods of the node may be hit too.",
            source="NVIDIA/nvidia-container-toolkit#48",
        ),
        Signature(
            id="driver-not-loaded",
            says=(
                "nvml error: driver not loaded",
                "to initialize NVML: Driver Not Loaded",
                "couldn't communicate with the NVIDIA driver",
                "NVMLError_DriverNotLoaded",
            ),
            cause="The NVIDIA kernel module is not loaded on the node.",
            remedies=(
                Remedy(
                    "Look at the driver pod of that node, or on the host: kernel updated, Secure Boot, nouveau.",
                    "lsmod | grep nvidia; dmesg | grep -i nvrm",
                ),
                Remedy("Cordon the node until the driver is back.", "kubectl cordon <node>"),
            ),
            blames=(Blame.DRIVER, Blame.NODE),
            rank=Rank.ROOT,
            source="NVIDIA/libnvidia-container, NVML error 9",
        ),
        Signature(
            id="driver-library-missing",
            says=("libnvidia-ml.so.1", "libcuda.so.1: cannot open shared object file", "NVML Shared Library Not Found"),
            pattern=Pattern(r"load library failed|cannot open shared object file|Not Found|not found"),
            cause="The driver's library is not in the container: it was started without the nvidia runtime, or "
            "without a GPU.",
            remedies=(
                Remedy(
                    "Request `nvidia.com/gpu` in this container's limits, and set `runtimeClassName: nvidia` where "
                    "the cluster has it."
                ),
                Remedy("If other pods on the node fail alike: repair the container toolkit there."),
            ),
            blames=(Blame.NODE, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            source="NVIDIA/nvidia-container-toolkit",
        ),
        Signature(
            id="driver-missing",
            says=("Found no NVIDIA driver on your system",),
            cause="The container sees no NVIDIA driver.",
            remedies=(
                Remedy(
                    "Check the container's GPU limit, `runtimeClassName: nvidia`, and the node's driver and container "
                    "toolkit."
                ),
                SEE_GPU,
            ),
            blames=(Blame.NODE, Blame.ARGUMENTS),
            source="pytorch/pytorch:torch/csrc/cuda/Module.cpp",
        ),
        Signature(
            id="driver-not-answering",
            says=("driver rpc error: timed out",),
            cause="The node's GPU driver does not answer the container toolkit in time: it hangs, or still starts.",
            remedies=(
                Remedy("Cordon the node: no container can be given a GPU there.", "kubectl cordon <node>"),
                Remedy("Look for Xids and hung tasks in the node's kernel log, then drain and reboot it."),
            ),
            blames=(Blame.NODE,),
            rank=Rank.ROOT,
            source="NVIDIA/gpu-operator (troubleshooting page)",
        ),
        Signature(
            id="runtime-driver-not-selectable",
            says=(
                'could not select device driver ""',
                'no runtime for "nvidia" is configured',
                "nvidia-container-cli: initialization error",
            ),
            cause="The node's container runtime cannot hand out GPUs: the NVIDIA container toolkit is missing or "
            "broken there.",
            remedies=(
                Remedy(
                    "Look at the toolkit pod of that node; without the operator: `nvidia-ctk runtime configure`, then "
                    "restart containerd."
                ),
                Remedy("Cordon the node until then.", "kubectl cordon <node>"),
            ),
            blames=(Blame.NODE,),
            source="NVIDIA/nvidia-container-toolkit",
        ),
    ),
)
