"""Node conditions that report GPU trouble, by the platforms that set them.

Upstream node-problem-detector has no GPU rule, so every platform adds its own: GKE (XidCriticalError), AKS, TKE,
NVSentinel (bad when True), EKS (bad when False). Names as in those projects' sources and pages.
"""

from collections.abc import Iterable

from bot.domain.node import Condition, Node

BAD_WHEN_TRUE = frozenset(
    """
    XidCriticalError GPUMissing NVLinkStatusInactive XIDErrors IBLinkFlapping
    GpuMemWatch GpuThermalWatch GpuPcieWatch GpuPowerWatch GpuInforomWatch GpuSmWatch GpuNvlinkWatch GpuMcuWatch
    GpuPmuWatch GpuDriverWatch SysLogsXIDError SysLogsSXIDError SysLogsGPUFallenOff NVSwitchFatalError NVSwitchDown
    DCGMError GpuDcgmConnectivityFailure GpuDcgmUnresponsive NebiusGPUError
    GPUDeviceLost GPUDoubleBitEccError GPUHighSingleBitEccError GPUInfoROMCorrupted GPUNvlinkError GPUPCIeError
    GPUPendingRetiredPages GPUPowerError GPURemappingRowsError GPUTempError GPUXIDFatalError GPUXIDWarningError
    GpuXidError GpuEccError GpuUnhealthy
    """.split()
)
BAD_WHEN_FALSE = frozenset({"AcceleratedHardwareReady"})


def bad(node: Node) -> Iterable[Condition]:
    """The conditions of that node that speak of a GPU fault now."""
    for condition in node.conditions:
        if (condition.type in BAD_WHEN_TRUE and condition.status == "True") or (
            condition.type in BAD_WHEN_FALSE and condition.status == "False"
        ):
            yield condition
