"""NodeName: a pod that names its node fits no other."""

from bot.domain.pod import Pod
from bot.scheduling.framework import Code, Failure, Filter
from bot.scheduling.state import NodeInfo, State

OTHER_NODE = Failure(Code.UNRESOLVABLE, ("node(s) didn't match the requested node name",))


def node_name(pod: Pod, info: NodeInfo, data: None, state: State) -> Failure | None:
    del data, state
    return OTHER_NODE if pod.node and pod.node != info.node.name else None


FILTER = Filter(
    name="NodeName",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
    filter=node_name,
)
