"""NodeName: a pod that names its node fits no other."""

from bot.domain.pod import Pod
from bot.scheduling.framework import PASS, SKIP, Code, Failure, Filter, PreFilterResult
from bot.scheduling.state import NodeInfo, State

OTHER_NODE = Failure(Code.UNRESOLVABLE, ("node(s) didn't match the requested node name",))


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    del state
    return PASS if pod.node else SKIP


def node_name(pod: Pod, info: NodeInfo, data: None, state: State) -> Failure | None:
    del data, state
    return None if pod.node == info.node.name else OTHER_NODE


FILTER = Filter(
    name="NodeName",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
    prefilter=prefilter,
    filter=node_name,
)
