"""Which existing volume a claim would get: kubernetes/component-helpers:storage/volume/pv_helpers.go."""

from collections.abc import Collection, Iterable

from bot.domain.node import Node
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim

AVAILABLE = "Available"


def belongs(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume is kept for that claim."""
    if volume.claim is None:
        return False
    namespace, name, uid = volume.claim
    return (namespace, name) == (claim.namespace, claim.name) and (not uid or uid == claim.uid)


def find(
    claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume], node: Node, taken: Collection[str]
) -> PersistentVolume | None:
    """The volume that is kept for the claim, else the smallest that will do and can be reached from the node."""
    smallest: PersistentVolume | None = None
    for volume in volumes:
        if volume.name in taken or not _could(volume, claim):
            continue
        if belongs(volume, claim):
            return volume if volume.reachable(node.labels) else None
        if _will_do(volume, claim, node) and (smallest is None or volume.size < smallest.size):
            smallest = volume
    return smallest


def _could(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return (
        (volume.claim is None or belongs(volume, claim))
        and volume.size >= (claim.size or 0)
        and volume.mode == claim.mode
        and volume.attributes_class == claim.attributes_class
        and not volume.deleted
    )


def _will_do(volume: PersistentVolume, claim: PersistentVolumeClaim, node: Node) -> bool:
    return (
        volume.phase == AVAILABLE
        and (claim.selector is None or claim.selector.matches(volume.labels))
        and volume.storage_class == claim.storage_class
        and claim.access_modes <= volume.access_modes
        and volume.reachable(node.labels)
    )
