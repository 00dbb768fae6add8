"""NodeDeclaredFeatures: some fields of a pod need a kubelet that declares a feature (release 1.36 and newer).

`detail` are the names of the features that the node does not declare.
"""

from bot.domain.pod import Pod
from bot.scheduling.framework import PASS, SKIP, Code, Failure, Filter, PreFilterResult
from bot.scheduling.state import NodeInfo, State

UNDECLARED = ("node(s) didn't match Pod's required features",)


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    del state
    return PASS if pod.spec.features else SKIP


def node_declared_features(pod: Pod, info: NodeInfo, data: None, state: State) -> Failure | None:
    del data, state
    missing = pod.spec.features - info.node.features
    return Failure(Code.UNRESOLVABLE, UNDECLARED, tuple(sorted(missing))) if missing else None


FILTER = Filter(
    name="NodeDeclaredFeatures",
    docs="https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins",
    prefilter=prefilter,
    filter=node_declared_features,
)
