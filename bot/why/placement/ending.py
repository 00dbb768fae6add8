"""How an owner's pods on one node are ended, so that those go, no other work is lost, and nobody brings them back.

Of a Deployment's pods those without a node and those that are not ready go first, then those with the lowest deletion
cost; of a StatefulSet's those with the highest ordinals. kubernetes/kubernetes:pkg/controller/controller_utils.go
(ActivePodsWithRanks). An autoscaler or an operator above would bring them back.
"""

from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.placement.commands import KINDS, delete_pods, kubectl
from bot.why.placement.holders import Holder
from bot.why.placement.owned import owned

DELETE_FIRST = "controller.kubernetes.io/pod-deletion-cost=-100"
SCALED = frozenset({"Deployment", "StatefulSet", "ReplicaSet"})
JOBS = frozenset({"Job", "CronJob"})  # a CronJob makes its next Job when it is time


@dataclass(frozen=True, slots=True)
class Ending:
    """`pods`: how many end that have a node, those of a Job on other nodes too."""

    command: str
    pods: int


def end(holder: Holder, view: View) -> Ending | None:
    """None where no command ends these pods, and no other that runs, for good."""
    if holder.kind == "Pod":
        static = any(pod.owner is not None for pod in holder.pods)  # the kubelet makes it from a file of its own
        return None if static else Ending(delete_pods(holder.pods), len(holder.pods))
    every = owned(view, holder.pods)
    if holder.kind in JOBS:
        jobs = sorted({pod.owner.name for pod in holder.pods if pod.owner}, key=natural)
        return Ending(kubectl(holder.namespace, "delete", "job", *jobs), sum(1 for pod in every if pod.node))
    command = _scaled(holder, every, view) if holder.kind in SCALED else ""
    return Ending(command, len(holder.pods)) if command else None


def _scaled(holder: Holder, every: list[Pod], view: View) -> str:
    thing = view.thing(holder.kind, holder.namespace, holder.name)
    going = {pod.name for pod in holder.pods}
    staying = [pod for pod in every if pod.name not in going and pod.node]
    scale = kubectl(holder.namespace, "scale", f"{KINDS[holder.kind]}/{holder.name}", f"--replicas={len(staying)}")
    if thing is not None and _deletes_volumes(thing):
        return ""
    if not staying:
        return scale
    if _autoscaled(holder, view) or not all(map(_well, staying)):
        return ""
    if holder.kind == "StatefulSet":
        last = sorted(every, key=lambda pod: natural(pod.name))[len(staying) :]
        return scale if {pod.name for pod in last} == going else ""
    if len({pod.owner.uid for pod in every if pod.owner}) > 1:
        return ""  # in the midst of a rolling update each ReplicaSet gives up its share
    names = sorted(going, key=natural)
    return f"{kubectl(holder.namespace, 'annotate', 'pod', '--overwrite', *names, DELETE_FIRST)} && {scale}"


def _well(pod: Pod) -> bool:
    """One that is not goes before pods that are, whatever their deletion cost; a StatefulSet stands still for it."""
    return pod.phase == "Running" and pod.condition("Ready") is None


def _deletes_volumes(thing: Thing) -> bool:
    return thing.fields.text("spec", "persistentVolumeClaimRetentionPolicy", "whenScaled") == "Delete"


def _autoscaled(holder: Holder, view: View) -> bool:
    """Whether somebody sets the number of replicas. At zero an autoscaler leaves it alone."""
    for one in view.things("horizontalpodautoscalers").values():
        target = one.fields.at("spec", "scaleTargetRef")
        if one.namespace == holder.namespace and (target.text("kind"), target.text("name")) == (
            holder.kind,
            holder.name,
        ):
            return True
    return False
