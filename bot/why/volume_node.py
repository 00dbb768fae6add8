"""The node that a claim's volume is made for, where its class waits for the first pod that uses it.

The scheduler writes its choice into the claim (`volume.kubernetes.io/selected-node`), and from then on no other node
will do. kubernetes/kubernetes:pkg/scheduler/framework/plugins/volumebinding/binder.go; issues 89953 and 95767.
"""

from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.storage import PersistentVolumeClaim
from bot.why.case import Case
from bot.why.shell import kubectl

SELECTED = "volume.kubernetes.io/selected-node"


@dataclass(frozen=True, slots=True)
class Stuck:
    """`clause` goes on after the claim's name."""

    clause: str
    remedies: tuple[Remedy, ...]


def node_gone(case: Case, claim: PersistentVolumeClaim) -> Stuck | None:
    """The volume was to be made on a node that is no more."""
    node = claim.selected_node
    if not node or not case.view.knows("nodes") or node in case.view.nodes:
        return None
    again = kubectl("annotate", "pvc", claim.name, f"{SELECTED}-", namespace=claim.namespace)
    return Stuck(
        f"is not bound: its volume is to be made on {node}, the node that was once chosen for it (annotation "
        f"`{SELECTED}`), which does not exist any more, and no other node will do meanwhile",
        (Remedy("Take that choice away: the scheduler then chooses anew", again, cost="none: there is no volume yet"),),
    )


def pinned(case: Case, claim: PersistentVolumeClaim) -> Stuck | None:
    """The pod names its node itself, so that no scheduler ever chooses one for the volume."""
    pod = case.pod
    if pod is None or not pod.node or case.subject.record is claim:
        return None
    choose = kubectl("annotate", "pvc", claim.name, f"{SELECTED}={pod.node}", namespace=claim.namespace)
    return Stuck(
        f"is not bound: class `{claim.storage_class}` has the volume made where the scheduler places the pod, and this "
        f"pod names its node itself (`nodeName: {pod.node}`), so that no scheduler places it",
        (
            Remedy(
                f"In its template ask for the node by `nodeSelector` (`kubernetes.io/hostname: {pod.node}`) instead of "
                "`nodeName`, and make the pod anew"
            ),
            Remedy(f"Or choose {pod.node} for the volume by hand", choose, cost="none: there is no volume yet"),
        ),
    )
