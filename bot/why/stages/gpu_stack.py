"""The chain between a node's GPUs and a pod that asks for one: which link is the first that is broken.

Asked bottom up, of the nodes in question only (see "which nodes" below): kernel module and libraries of one version,
a driver that answers, a driver that is installed, the runtime's handler, fabric manager on NVSwitch machines, a MIG
change, the operator's validator, labels that pause the operator's parts, whether the device plugin's DaemonSet comes to
the node at all (its labels and tolerations are computed, as the controller does), the plugin itself, GPUs that were
marked unhealthy and after which Xid, Xids in the kernel log, the platform's own conditions. The first broken link is
told with its proof; what only follows from it is not.

Which nodes: for a waiting pod those that it could go to by labels and taints and that offer no GPUs or too few; for a
bound pod its node; for a node itself. Logs are read of the stack's pods on three nodes at most.

What it cannot see: host drivers and hosts' services, where no pod and no kernel message tells of them.
"""

from collections.abc import Iterator

from bot.gpu.stack.faults import upgrade
from bot.why import gpu_faults
from bot.why.case import Case
from bot.why.finding import Finding, Stage


def judge(case: Case) -> Iterator[Finding]:
    """All faults but those of a driver upgrade, which has a stage of its own."""
    yield from gpu_faults.findings(case, "gpu_stack", lambda fault: fault not in upgrade.IDS)


STAGE = Stage(
    "gpu_stack",
    75,
    judge,
    gpu_faults.wants,
    needs=frozenset({"nodes", "pods", "daemonsets", "runtimeclasses", "nodeclaims", "events"}),
    docs=__doc__ or "",
)
