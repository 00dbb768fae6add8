"""Disks of in-tree volumes that a CSI driver took over: kubernetes/csi-translation-lib:plugins.

The scheduler counts them for the driver, and looks for the driver's own topology label on nodes that moved.
"""

import re
from dataclasses import dataclass

import msgspec

from bot.domain.node import Node
from bot.domain.pattern import Pattern
from bot.domain.pod_spec import Disk
from bot.domain.record import NONE, Labels
from bot.domain.selectors import NodeTerm, Requirement
from bot.domain.storage import CSINode, PersistentVolume

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
OLD_REGION = "failure-domain.beta.kubernetes.io/region"
SEVERAL = "__"  # between the zones of one label
ON_AMAZON = Pattern(r"aws://[^/]*/(vol-[^/]*)/*", re.ASCII)


class TranslationError(Exception):
    """A disk that the driver would not know what to do with."""


@dataclass(frozen=True, slots=True)
class Moved:
    """An in-tree plugin, the driver that took over, and its label for a node's zone.

    `zone` is empty where a volume's labels and terms count as they are: the driver has no such label, or (Azure) nobody
    translates them.
    """

    plugin: str
    driver: str
    zone: str = ""


MOVED = {
    "gcePersistentDisk": Moved("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"),
    "awsElasticBlockStore": Moved("kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"),
    "azureDisk": Moved("kubernetes.io/azure-disk", "disk.csi.azure.com"),
    "cinder": Moved("kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone"),
    "portworxVolume": Moved("kubernetes.io/portworx-volume", "pxd.portworx.com"),
}
BY_PLUGIN = {one.plugin: one for one in MOVED.values()}
UNCOUNTED = frozenset({"kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"})  # migratable, but not counted


def attached_as(disk: Disk, labels: Labels = NONE) -> tuple[str, str] | None:
    """Driver and handle that a disk is counted under; None for one that no driver took over.

    A disk of Google has its zone, which its volume's `labels` tell, in its handle. Raises TranslationError.
    """
    moved = MOVED.get(disk.kind)
    if moved is None:
        return None
    if disk.kind == "gcePersistentDisk":
        return moved.driver, f"{_place(labels)}/disks/{disk.id}"
    if disk.id.startswith("aws://") and disk.kind == "awsElasticBlockStore":
        found = ON_AMAZON.fullmatch(disk.id)
        if found is None:
            reason = f"Invalid format for AWS volume ({disk.id})"
            raise TranslationError(f"failed to translate Kubernetes ID to EBS Volume ID {reason}")
        return moved.driver, found[1]
    return moved.driver, disk.id


def _place(labels: Labels) -> str:
    zones = (labels.get(OLD_ZONE) or labels.get(ZONE) or "UNSPECIFIED").split(SEVERAL)
    if len(zones) == 1:
        return f"zones/{zones[0]}"
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            form = f"zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
            raise TranslationError(f"failed to get region from zones: {form}")
        regions.add("-".join(parts[:2]))
    if len(regions) > 1:
        told = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise TranslationError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{told}]"
        )
    return f"regions/{regions.pop()}"


def reachable(volume: PersistentVolume, node: Node, csi_node: CSINode | None) -> bool:
    """Whether a bound volume can be used on the node, by the labels that count there. Raises TranslationError."""
    moved = MOVED.get(volume.disk.kind) if volume.disk else None
    if volume.disk is None or moved is None or csi_node is None or moved.plugin not in csi_node.migrated:
        return volume.reachable(node.labels)
    attached_as(volume.disk, volume.labels)
    if not moved.zone:
        return volume.reachable(node.labels)
    return _translated(volume, moved.zone).reachable(node.labels)


def _translated(volume: PersistentVolume, label: str) -> PersistentVolume:
    terms = volume.node_terms or ()
    zone = _zone_label(terms, volume.labels)
    if _mentions(terms, zone):
        return msgspec.structs.replace(volume, node_terms=_renamed(terms, zone, label))
    zones = _zones(volume.labels, zone)
    if not zones:
        return volume
    wanted = Requirement(label, "In", zones)
    added = tuple(
        msgspec.structs.replace(one, expressions=(*one.expressions, wanted)) for one in terms or (NodeTerm(),)
    )
    return msgspec.structs.replace(volume, node_terms=added)


def _zone_label(terms: tuple[NodeTerm, ...], labels: Labels) -> str:
    """What the volume calls its zone: terms count before labels, the newer name before the older."""
    in_terms = (label for label in (ZONE, OLD_ZONE) if _mentions(terms, label))
    in_labels = (label for label in (ZONE, OLD_ZONE) if label in labels)
    return next(in_terms, "") or next(in_labels, ZONE)


def _mentions(terms: tuple[NodeTerm, ...], key: str) -> bool:
    return any(one.key == key for term in terms for one in term.expressions)


def _renamed(terms: tuple[NodeTerm, ...], old: str, new: str) -> tuple[NodeTerm, ...]:
    names = {old: new} | ({OLD_REGION: REGION} if old == OLD_ZONE else {})
    return tuple(
        msgspec.structs.replace(
            term,
            expressions=tuple(
                msgspec.structs.replace(one, key=names.get(one.key, one.key)) for one in term.expressions
            ),
        )
        for term in terms
    )


def _zones(labels: Labels, key: str) -> tuple[str, ...]:
    return tuple(sorted({zone.strip() for zone in labels.get(key, "").split(SEVERAL) if zone.strip()}))
