"""A bad row was put aside (Xid 63), or could not be (Xid 64).

63 is no emergency: the spare row is used after the next reset. 64 is: the spare rows are used up, or their table could
not be written. Platforms treat 63 as fatal, and the device plugin marks the GPU unhealthy for it.
"""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="memory.remap_event",
    title="a bad row of GPU memory was found",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((63, 64)),
)
