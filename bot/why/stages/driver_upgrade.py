"""A driver upgrade of the GPU operator: standing still, failed, or under way.

The new driver can be loaded only when nothing uses the old one. The upgrade evicts pods that ask for GPUs; pods that
see GPUs by the nvidia runtime or NVIDIA_VISIBLE_DEVICES without asking for one, and DaemonSets' pods, stay and hold it.
Both are listed with what takes them off the node.
"""

from collections.abc import Iterator

from bot.gpu.stack.faults import upgrade
from bot.why import gpu_faults
from bot.why.case import Case
from bot.why.finding import Finding, Stage


def judge(case: Case) -> Iterator[Finding]:
    """Faults of the upgrade on the nodes in question."""
    yield from gpu_faults.findings(case, "driver_upgrade", lambda fault: fault in upgrade.IDS)


STAGE = Stage(
    "driver_upgrade",
    76,
    judge,
    needs=frozenset({"nodes", "pods", "daemonsets", "events"}),
    docs=__doc__ or "",
)
