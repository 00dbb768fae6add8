"""VolumeRestrictions: disks that one node may not mount twice, and claims that only one pod may use.

`detail` is a DiskInUse or a ClaimInUse. kubernetes/kubernetes:pkg/scheduler/framework/plugins/volumerestrictions
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import Disk
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.volumes import claims

NO_DISK = ("node(s) had no available disk",)
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
)
RESTRICTED = frozenset({"gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd"})
READS = ("persistentvolumeclaims",)


@dataclass(frozen=True, slots=True)
class DiskInUse:
    """The pod's volume, and the pod of that node that has its disk."""

    volume: str
    disk: Disk
    holder: str


@dataclass(frozen=True, slots=True)
class ClaimInUse:
    """Claims that only one pod may use, and who does: pods by key."""

    claims: tuple[str, ...]
    holders: tuple[str, ...]


@dataclass(slots=True)
class Data:
    """`names` of the pod's claims that only one pod may use; `uses` counts the pods that use one."""

    names: frozenset[str]
    uses: int
    holders: tuple[str, ...]


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    names: set[str] = set()
    for volume in pod.volumes:
        if volume.ephemeral or not claims.has_claim(volume):
            continue
        claim = claims.find(state.view, pod, volume)
        if claim is None:
            return rejected(Code.UNRESOLVABLE, claims.missing(volume.claim))
        if claims.ONE_POD in claim.access_modes:
            names.add(claim.name)
    holders = list(_holders(pod, names, state)) if names else []
    uses = len({name for name, _ in holders})
    if not uses and not any(volume.disk and volume.disk.kind in RESTRICTED for volume in pod.volumes):
        return SKIP
    return PreFilterResult(data=Data(frozenset(names), uses, tuple(sorted({key for _, key in holders}))))


def _holders(pod: Pod, names: set[str], state: State) -> Iterator[tuple[str, str]]:
    """Claim and user, of all nodes."""
    for info in state.infos():
        for other in info.live:
            if other.volumes and other.namespace == pod.namespace:
                yield from ((name, other.key) for name in _used(other) if name in names)


def _used(pod: Pod) -> Iterator[str]:
    return (volume.claim for volume in pod.volumes if volume.claim and not volume.ephemeral)


def volume_restrictions(pod: Pod, info: NodeInfo, data: Data, state: State) -> Failure | None:
    del state
    for volume in pod.volumes:
        if volume.disk is None or volume.disk.kind not in RESTRICTED:
            continue
        for other in info.live:
            if any(one.disk and _conflict(volume.disk, one.disk) for one in other.volumes):
                return Failure(Code.UNSCHEDULABLE, NO_DISK, DiskInUse(volume.name, volume.disk, other.key))
    if data.uses > 0:
        return Failure(Code.UNSCHEDULABLE, IN_USE, ClaimInUse(tuple(sorted(data.names)), data.holders))
    return None


def _conflict(one: Disk, other: Disk) -> bool:
    """Disks of Amazon conflict always, the others unless both only read."""
    if one.kind != other.kind or one.id != other.id:
        return False
    if one.kind == "awsElasticBlockStore":
        return True
    if one.kind == "rbd" and (one.pool != other.pool or not one.monitors & other.monitors):
        return False
    return not (one.read_only and other.read_only)


def copy(data: Data, node: Node | None = None) -> Data:
    del node
    return replace(data)


def update(data: Data, pod: Pod, other: Pod, node: Node, sign: int) -> None:
    """The scheduler counts by name here, whatever the other pod's namespace, and so does this."""
    del pod, node
    data.uses += sign * sum(name in data.names for name in _used(other))


def minds(data: Data, other: Pod) -> bool:
    del data
    return bool(other.volumes)


FILTER = Filter(
    name="VolumeRestrictions",
    docs="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
    prefilter=prefilter,
    filter=volume_restrictions,
    minds=minds,
    copy=copy,
    update=update,
)
