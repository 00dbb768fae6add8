"""Whether a node is on its way out: taken back by its provider, or removed by an autoscaler. That is no GPU's fault.

kubernetes-sigs/karpenter, kubernetes/autoscaler (taints), aws/aws-node-termination-handler (taints and events), GKE's
and AKS's pages on spot nodes (taint, condition, labels).
"""

from collections.abc import Iterable

from bot.domain.event import Event
from bot.domain.node import Node

_TAINTS = {
    "karpenter.sh/disrupted": "Karpenter is removing it",
    "karpenter.sh/disruption": "Karpenter is removing it",
    "ToBeDeletedByClusterAutoscaler": "the cluster autoscaler is removing it",
    "cloud.google.com/impending-node-termination": "its provider is taking it back",
    "aws-node-termination-handler/spot-itn": "its provider is taking it back",
    "aws-node-termination-handler/asg-lifecycle-termination": "its autoscaling group is removing it",
    "aws-node-termination-handler/scheduled-maintenance": "its provider has scheduled maintenance",
    "node.cloudprovider.kubernetes.io/shutdown": "its machine was shut down",
}
_EVENTS = frozenset(
    "SpotInterrupted SpotInterruption PreemptScheduled TerminateScheduled InstanceTerminating Preempted".split()
)
_SPOT = (
    ("cloud.google.com/gke-spot", "true"),
    ("cloud.google.com/gke-preemptible", "true"),
    ("eks.amazonaws.com/capacityType", "SPOT"),
    ("karpenter.sh/capacity-type", "spot"),
    ("kubernetes.azure.com/scalesetpriority", "spot"),
    ("node.alibabacloud.com/spot-strategy", "SpotAsPriceGo"),
    ("node.alibabacloud.com/spot-strategy", "SpotWithPriceLimit"),
)


def is_spot(node: Node) -> bool:
    """Whether its provider may take it back at any time."""
    return any(node.labels.get(key) == value for key, value in _SPOT)


def why(node: Node, events: Iterable[Event]) -> str:
    """A clause such as `Karpenter is removing it`; empty where nothing says that it goes away."""
    taken = any(event.reason in _EVENTS for event in events)
    if taken:
        return "its provider is taking it back" + (" (a spot node)" if is_spot(node) else "")
    spot = " (a spot node)" if is_spot(node) else ""
    taint = next((one for one in node.taints if one.key in _TAINTS), None)
    if taint is not None:
        return f"{_TAINTS[taint.key]}{spot}"
    return f"it is being deleted{spot}" if node.deleted else ""
