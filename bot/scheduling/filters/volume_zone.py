"""VolumeZone: zone and region labels of bound volumes must be the node's own.

`detail` is an OtherZone. kubernetes/kubernetes:pkg/scheduler/framework/plugins/volumezone
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.storage import PersistentVolume
from bot.domain.view import View
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.volumes import claims
from bot.scheduling.volumes.in_tree import OLD_REGION, OLD_ZONE, REGION, SEVERAL, ZONE

NO_ZONE = ("node(s) had no available volume zone",)
LABELS = (OLD_ZONE, OLD_REGION, ZONE, REGION)
NEWER = {OLD_ZONE: ZONE, OLD_REGION: REGION}
READS = ("persistentvolumeclaims", "persistentvolumes", "storageclasses")


@dataclass(frozen=True, slots=True)
class Topology:
    """A volume's zones or regions."""

    claim: str
    volume: str
    label: str
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class OtherZone:
    """Where the volume is, and where the node is (empty: it does not say)."""

    topology: Topology
    node: str


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    view = state.view
    found: list[Topology] = []
    for volume in pod.volumes:
        if volume.ephemeral or not claims.has_claim(volume):
            continue
        if not volume.claim:
            return rejected(Code.UNRESOLVABLE, "PersistentVolumeClaim had no name")
        claim = claims.find(view, pod, volume)
        if claim is None:
            return rejected(Code.UNRESOLVABLE, claims.missing(volume.claim))
        if not claim.volume:
            if flaw := _unbound(view, claim.storage_class):
                return rejected(Code.UNRESOLVABLE, flaw)
            continue
        bound = view.persistentvolumes.get(claim.volume)
        if bound is None:
            return rejected(Code.UNRESOLVABLE, f'persistentvolume "{claim.volume}" not found')
        found += _topologies(claim.name, bound)
    return PreFilterResult(data=tuple(found)) if found else SKIP


def _unbound(view: View, name: str) -> str:
    """A claim without a volume may wait for a node; any other should have one by now."""
    if not name:
        return "PersistentVolumeClaim had no pv name and storageClass name"
    storage_class = view.storageclasses.get(name)
    if storage_class is None:
        return f'storageclass.storage.k8s.io "{name}" not found'
    return "" if storage_class.binding_mode == claims.WAITING else "PersistentVolume had no name"


def _topologies(claim: str, volume: PersistentVolume) -> Iterator[Topology]:
    """A label with an empty zone in it is not a label."""
    for label in LABELS:
        zones = [zone.strip() for zone in volume.labels[label].split(SEVERAL)] if label in volume.labels else []
        if zones and all(zones):
            yield Topology(claim, volume.name, label, frozenset(zones))


def volume_zone(pod: Pod, info: NodeInfo, data: tuple[Topology, ...], state: State) -> Failure | None:
    del pod, state
    labels = info.node.labels
    if not any(label in labels for label in LABELS):
        return None  # a cluster of one zone need not say so
    for topology in data:
        value = labels.get(topology.label, labels.get(NEWER.get(topology.label, topology.label)))
        if value not in topology.values:
            return Failure(Code.UNRESOLVABLE, NO_ZONE, OtherZone(topology, value or ""))
    return None


FILTER = Filter(
    name="VolumeZone",
    docs="https://kubernetes.io/docs/concepts/storage/storage-classes/#allowed-topologies",
    prefilter=prefilter,
    filter=volume_zone,
)
