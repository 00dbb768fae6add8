"""The filters, in kube-scheduler's order: the first that rejects a node names the reason, and hides all later ones.

Names, order and reason strings: kubernetes/kubernetes:pkg/scheduler/apis/config/v1/default_plugins.go and
pkg/scheduler/framework/plugins/, release 1.36.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bot.local.cluster.controllers.scheduler.affinity import matches_node, names_allowed
from bot.local.cluster.controllers.scheduler.node import NodeView
from bot.local.cluster.controllers.scheduler.pod import PodView, Port
from bot.local.cluster.controllers.scheduler.taints import first_untolerated, tolerates

UNSCHEDULABLE_TAINT = {"key": "node.kubernetes.io/unschedulable", "value": "", "effect": "NoSchedule"}
ANY_ADDRESS = "0.0.0.0"


@dataclass(frozen=True, slots=True)
class Rejection:
    plugin: str
    reasons: tuple[str, ...]
    helped_by_eviction: bool  # kube-scheduler's Unschedulable, as opposed to UnschedulableAndUnresolvable


def node_unschedulable(pod: PodView, node: NodeView) -> Rejection | None:
    if not node.unschedulable or tolerates(pod.tolerations, UNSCHEDULABLE_TAINT):
        return None
    return Rejection("NodeUnschedulable", ("node(s) were unschedulable",), False)


def node_name(pod: PodView, node: NodeView) -> Rejection | None:
    if pod.node_name in ("", node.name):
        return None
    return Rejection("NodeName", ("node(s) didn't match the requested node name",), False)


def taint_toleration(pod: PodView, node: NodeView) -> Rejection | None:
    if first_untolerated(pod.tolerations, node.taints) is None:
        return None
    return Rejection("TaintToleration", ("node(s) had untolerated taint(s)",), False)


def node_affinity(pod: PodView, node: NodeView) -> Rejection | None:
    if matches_node(pod, node):
        return None
    return Rejection("NodeAffinity", ("node(s) didn't match Pod's node affinity/selector",), False)


def node_ports(pod: PodView, node: NodeView) -> Rejection | None:
    if not pod.ports:
        return None
    taken = node.ports()
    if any(ports_clash(wanted, used) for wanted in pod.ports for used in taken):
        return Rejection("NodePorts", ("node(s) didn't have free ports for the requested pod ports",), True)
    return None


def node_resources_fit(pod: PodView, node: NodeView) -> Rejection | None:
    """Every resource that is short is named. A request above all of allocatable can be helped by no eviction."""
    reasons, hopeless = [], False
    if len(node.pods) + 1 > node.allocatable.get("pods", 0):
        reasons.append("Too many pods")
    for resource, wanted in pod.requests.items():
        if wanted and wanted > node.free(resource):
            reasons.append(f"Insufficient {resource}")
            hopeless = hopeless or wanted > node.allocatable.get(resource, 0)
    return Rejection("NodeResourcesFit", tuple(reasons), not hopeless) if reasons else None


def ports_clash(one: Port, other: Port) -> bool:
    same_address = one[0] == other[0] or ANY_ADDRESS in (one[0], other[0])
    return same_address and one[1:] == other[1:]


Filter = Callable[[PodView, NodeView], Rejection | None]
FILTERS: tuple[Filter, ...] = (
    node_unschedulable, node_name, taint_toleration, node_affinity, node_ports, node_resources_fit,
)  # fmt: skip


def reject(pod: PodView, node: NodeView, more: tuple[Filter, ...] = ()) -> Rejection | None:
    """Why `pod` cannot run on `node`, or None. Judged with the pods that the node is promised to, then without them."""
    allowed = names_allowed(pod)
    if allowed is not None and node.name not in allowed:
        return Rejection("NodeAffinity", ("node(s) didn't satisfy plugin(s) [NodeAffinity]",), False)
    promised = node.as_promised_to_others(pod)
    views = (promised,) if promised is node else (promised, node)
    return next((found for view in views for check in FILTERS + more if (found := check(pod, view))), None)
