"""VolumeBinding: the pod's volumes exist and can be reached from the node, or can be found or made for it.

`detail` is one Problem per reason. kubernetes/kubernetes:pkg/scheduler/framework/plugins/volumebinding
"""

from dataclasses import dataclass

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim
from bot.domain.view import View
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.volumes import claims, in_tree, matching
from bot.scheduling.volumes.provisioning import Obstacle, Unmade, obstacle

NOT_REACHABLE = "node(s) didn't match PersistentVolume's node affinity"
NONE_FOUND = "node(s) didn't find available persistent volumes to bind"
NO_ROOM = "node(s) did not have enough free storage"
NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
LOST = "Lost"
READS = (
    "persistentvolumeclaims",
    "persistentvolumes",
    "storageclasses",
    "csinodes",
    "csidrivers",
    "csistoragecapacities",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One claim, and what stands in its way.

    `volume` is the one that it is bound to, `elsewhere` the node where its volume is being made, `unmade` why none can
    be made here.
    """

    reason: str
    claim: str
    volume: str = ""
    elsewhere: str = ""
    unmade: Unmade | None = None


@dataclass(frozen=True, slots=True)
class Data:
    """Claims that are bound, claims that wait for a node, and volumes by storage class."""

    bound: tuple[PersistentVolumeClaim, ...]
    waiting: tuple[PersistentVolumeClaim, ...]
    volumes: dict[str, list[PersistentVolume]]


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    view = state.view
    found: list[PersistentVolumeClaim] = []
    for volume in pod.volumes:
        if not claims.has_claim(volume):
            continue
        claim = claims.find(view, pod, volume)
        if claim is None:
            waiting = f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{volume.claim}"'
            return rejected(Code.UNRESOLVABLE, waiting if volume.ephemeral else claims.missing(volume.claim))
        if flaw := _flaw(claim, pod, volume.ephemeral):
            return rejected(Code.UNRESOLVABLE, flaw)
        found.append(claim)
    return _sorted_out(view, found) if found else SKIP


def _flaw(claim: PersistentVolumeClaim, pod: Pod, ephemeral: bool) -> str:
    if claim.phase == LOST:
        return f'persistentvolumeclaim "{claim.name}" bound to non-existent persistentvolume "{claim.volume}"'
    if claim.deleted:
        return f'persistentvolumeclaim "{claim.name}" is being deleted'
    return claims.stranger(claim, pod) if ephemeral and not claims.is_owned(claim, pod) else ""


def _sorted_out(view: View, found: list[PersistentVolumeClaim]) -> PreFilterResult:
    bound = tuple(one for one in found if one.bound)
    waiting = tuple(one for one in found if not one.bound and not one.volume and claims.waits(view, one))
    if len(bound) + len(waiting) < len(found):
        late = [one.name for one in found if one not in bound and one not in waiting]
        problems = tuple(Problem(UNBOUND, name) for name in late)
        return PreFilterResult(rejected=Failure(Code.UNRESOLVABLE, (UNBOUND,), problems))
    volumes: dict[str, list[PersistentVolume]] = {one.storage_class: [] for one in waiting}
    if waiting:
        for volume in view.persistentvolumes.values():
            if volume.storage_class in volumes:
                volumes[volume.storage_class].append(volume)
    return PreFilterResult(data=Data(bound, waiting, volumes))


def volume_binding(pod: Pod, info: NodeInfo, data: Data, state: State) -> Failure | None:
    del pod
    node, view = info.node, state.view
    try:
        problems = [*_of_bound(view, data, node), *_of_waiting(view, data, node)]
    except in_tree.TranslationError as error:
        return Failure(Code.ERROR, (f"could not translate pv: {error}",))
    if not problems:
        return None
    broken = next((one for one in problems if one.unmade and one.unmade.why is Obstacle.NO_CLASS), None)
    if broken is not None and broken.unmade is not None:
        reason = f'failed to find storage class "{broken.unmade.storage_class}"'
        return Failure(Code.ERROR, (reason,), (broken,))
    return Failure(Code.UNRESOLVABLE, tuple(dict.fromkeys(one.reason for one in problems)), tuple(problems))


def _of_bound(view: View, data: Data, node: Node) -> list[Problem]:
    """The first that will not do, as the scheduler stops there."""
    csi_node = view.csinodes.get(node.name)
    for claim in data.bound:
        volume = view.persistentvolumes.get(claim.volume)
        if volume is None:
            return [Problem(NO_VOLUME, claim.name, claim.volume)]
        if not in_tree.reachable(volume, node, csi_node):
            return [Problem(NOT_REACHABLE, claim.name, volume.name)]
    return []


def _of_waiting(view: View, data: Data, node: Node) -> list[Problem]:
    """Volumes that exist are tried first, the smallest claim first; for the rest one must be made."""
    to_make: list[PersistentVolumeClaim] = []
    to_find: list[PersistentVolumeClaim] = []
    for claim in data.waiting:
        if claim.selected_node is None:
            to_find.append(claim)
        elif claim.selected_node != node.name:
            return [Problem(NONE_FOUND, claim.name, elsewhere=claim.selected_node)]
        else:
            to_make.append(claim)
    taken: set[str] = set()
    for claim in sorted(to_find, key=lambda one: one.size or 0):
        volume = matching.find(claim, data.volumes[claim.storage_class], node, taken)
        if volume is None:
            to_make.append(claim)
        else:
            taken.add(volume.name)
    unmade = next((found for claim in to_make if (found := obstacle(view, claim, node))), None)
    if unmade is None:
        return []
    return [Problem(NO_ROOM if unmade.why is Obstacle.CAPACITY else NONE_FOUND, unmade.claim, unmade=unmade)]


FILTER = Filter(
    name="VolumeBinding",
    docs="https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode",
    prefilter=prefilter,
    filter=volume_binding,
)
