"""The lines of a GPU stack's pods that are known, and what each means.

Texts: NVIDIA/k8s-device-plugin (internal/rm/health.go, internal/plugin/server.go), NVIDIA/gpu-operator and
k8s-driver-manager, NVIDIA/mig-parted, GoogleCloudPlatform/container-engine-accelerators, ROCm/k8s-device-plugin,
NVML's error strings.
"""

import enum
import re

from bot.domain.pattern import Pattern


class Sign(enum.StrEnum):
    """What a line means; the value is a clause that continues "its log says that …"."""

    MISMATCH = "driver library and kernel module are of different versions"
    NOT_LOADED = "the driver is not loaded"
    NO_RUNTIME = "its container does not run with NVIDIA's runtime"
    DRAIN_BLOCKED = "a pod could not be evicted"
    NO_LIBRARY = "the driver's library is not there"
    LOST = "a GPU is lost"
    UNKNOWN_ERROR = "the driver answers with an unknown error"
    RPC_TIMEOUT = "the driver does not answer in time"
    NO_PERMISSION = "access to the driver is denied"
    XID = "the driver reported an Xid"
    UNHEALTHY = "a GPU was marked unhealthy"
    ALL_UNHEALTHY = "all GPUs were marked unhealthy"
    NO_DEVICES = "it finds no GPU"
    NO_CONFIG = "the configuration that the node's label names does not exist"
    NO_PLUGINS = "it has found no GPU with a compute driver (/dev/kfd)"
    NO_KUBELET = "the kubelet's socket does not answer"
    INSTALLATION_OFF = "driver installation is switched off"
    WAITS_FOR_DRIVER = "it waits for a driver"
    IN_USE = "the old driver is in use and cannot be unloaded"
    NO_HEADERS = "the kernel's headers are missing"
    SECURE_BOOT = "Secure Boot refuses the module"
    NOUVEAU = "the nouveau driver holds the GPU"
    BUILD_FAILED = "the module could not be built"
    NO_DOWNLOAD = "it cannot download what it needs"
    NO_FABRIC = "CUDA is not ready (802)"
    MIG_UNKNOWN = "no configuration has a layout of that name"
    MIG_INVALID = "the manager does not find the layout valid"
    MIG_WAITS = "the MIG manager waits for a new value of the label"
    MIG_FAILED = "the MIG layout could not be applied"
    MIG_TIMEOUT = "GPU clients did not stop in time"


# Alternatives per sign; the first sign that a line has counts.
_TEXTS: tuple[tuple[Sign, tuple[str, ...]], ...] = (
    (Sign.MISMATCH, (r"driver/library version mismatch", r"(?:API|RM) (?:version )?mismatch")),
    (
        Sign.XID,
        (
            r"XidCriticalError: Xid=(?P<xid>\d{1,4}) on Device=(?P<device>[\w-]{1,60})",
            r"Caught XID error, XID=(?P<seen>\d{1,4})",
        ),
    ),
    (Sign.ALL_UNHEALTHY, (r"marking all devices as unhealthy",)),
    (
        Sign.UNHEALTHY,
        (r"device marked unhealthy: (?P<marked>[\w-]{1,60})", r"device (?P<other>[\w-]{1,60}) .{0,20}unhealthy"),
    ),
    (Sign.LOST, (r"GPU is lost", r"fallen off the bus", r"unable to determine the device handle")),
    (
        Sign.NOT_LOADED,
        (r"driver not loaded", r"couldn't communicate with the NVIDIA driver", r"nvidia driver is not loaded"),
    ),
    (
        Sign.NO_LIBRARY,
        (
            r"could not load NVML library",
            r"libnvidia-ml\.so\.1.{0,60}(?:cannot open|no such|not found)",
            r"ERROR_LIBRARY_NOT_FOUND",
        ),
    ),
    (Sign.RPC_TIMEOUT, (r"driver rpc error: timed out",)),
    (Sign.UNKNOWN_ERROR, (r"initialize NVML: Unknown Error", r"init NVML: ERROR_UNKNOWN")),
    (Sign.NO_PERMISSION, (r"NVML: Insufficient Permissions",)),
    (
        Sign.NO_RUNTIME,
        (r"did you configure the NVIDIA Container Toolkit", r"did you set the .{0,20}default runtime to .{0,3}nvidia"),
    ),
    (
        Sign.DRAIN_BLOCKED,
        (r"cannot delete (?:Pods|DaemonSet)", r"violate the pod's disruption budget", r"error when evicting pods?"),
    ),
    (Sign.NO_DEVICES, (r"no devices found\. waiting indefinitely",)),
    (Sign.NO_CONFIG, (r"specified config \S{1,80} does not exist",)),
    (Sign.NO_PLUGINS, (r"manager\.go:\d+\] Handling incoming signals",)),  # ROCm's; more follows where it finds GPUs
    (Sign.NO_KUBELET, (r"failed to start one or more plugins",)),
    (Sign.INSTALLATION_OFF, (r"driver (?:auto.?)?installation (?:is )?(?:disabled|switched off|turned off)",)),
    (Sign.WAITS_FOR_DRIVER, (r"waiting for GPU driver libraries", r"waiting for the (?:nvidia )?driver")),
    (
        Sign.IN_USE,
        (
            r"could not unload NVIDIA driver kernel modules",
            r"driver is (?:still |currently )?in use",
            r"Module nvidia\w* is in use",
        ),
    ),
    (Sign.SECURE_BOOT, (r"key was rejected by service", r"required key not available")),
    (Sign.NOUVEAU, (r"nouveau.{0,60}(?:loaded|in use|conflict|blacklist)",)),
    (
        Sign.NO_HEADERS,
        (
            r"(?:linux|kernel)[- ](?:headers|devel)\b.{0,80}(?:not found|unable|missing|no such|could not)",
            r"could not resolve linux kernel version",
            r"unable to (?:find|locate) .{0,40}(?:linux|kernel)[- ](?:headers|devel)",
        ),
    ),
    (
        Sign.BUILD_FAILED,
        (
            r"failed to build.{0,40}(?:module|driver)",
            r"unable to build the .{0,20}kernel module",
            r"installation has failed",
        ),
    ),
    (
        Sign.NO_DOWNLOAD,
        (
            r"could not resolve host",
            r"temporary failure (?:in name resolution|resolving)",
            r"failed to fetch http",
            r"unable to fetch",
        ),
    ),
    (Sign.NO_FABRIC, (r"system not yet initiali[sz]ed", r"CUDA_ERROR_SYSTEM_NOT_READY", r"\berror 802\b")),
    (Sign.MIG_UNKNOWN, (r"selected mig-?config not present",)),
    (Sign.MIG_INVALID, (r"unable to validate the selected MIG config",)),
    (Sign.MIG_WAITS, (r"waiting for change to '?nvidia\.com/mig\.config'? label",)),
    (
        Sign.MIG_TIMEOUT,
        (
            r"time[sd]? ?out.{0,80}(?:shut ?down|client|pods? |delet)",
            r"(?:unable|failed) to (?:shut ?down|stop).{0,40}client",
        ),
    ),
    (
        Sign.MIG_FAILED,
        (
            r"(?:unable|failed) to (?:apply|set|assert).{0,60}mig",
            r"error (?:applying|setting).{0,40}mig",
            r"mig.{0,60}(?:not supported|invalid)",
            r"unsupported MIG device",
        ),
    ),
)
PATTERNS = tuple((sign, Pattern("|".join(texts), re.IGNORECASE)) for sign, texts in _TEXTS)
