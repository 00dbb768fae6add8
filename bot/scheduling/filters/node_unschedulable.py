"""NodeUnschedulable: a cordoned node takes only pods that tolerate the taint that cordoning sets."""

from bot.domain.node import Taint
from bot.domain.pod import Pod
from bot.scheduling import columns
from bot.scheduling.framework import PASS, SKIP, Code, Failure, Filter, PreFilterResult
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.tolerance import tolerated

CORDON = Taint("node.kubernetes.io/unschedulable", effect="NoSchedule")
CORDONED = Failure(Code.UNRESOLVABLE, ("node(s) were unschedulable",))


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    del state
    return SKIP if tolerated(CORDON, pod.spec.tolerations) else PASS


def node_unschedulable(pod: Pod, info: NodeInfo, data: None, state: State) -> Failure | None:
    del pod, data, state
    return CORDONED if info.node.unschedulable else None


def column(pod: Pod, snapshot: Snapshot, data: None) -> list[Failure | None]:
    del pod, data
    every = columns.column(snapshot, __name__, lambda info: info.node.unschedulable)
    return every.told([CORDONED if cordoned else None for cordoned in every.values])


FILTER = Filter(
    name="NodeUnschedulable",
    docs="https://kubernetes.io/docs/concepts/architecture/nodes/#manual-node-administration",
    prefilter=prefilter,
    filter=node_unschedulable,
    column=column,
)
