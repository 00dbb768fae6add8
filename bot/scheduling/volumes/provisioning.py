"""Whether a volume could be made for a claim on a node.

kubernetes/kubernetes:pkg/scheduler/framework/plugins/volumebinding/binder.go
"""

import math
from dataclasses import dataclass
from enum import Enum

from bot.domain.node import Node
from bot.domain.record import Labels
from bot.domain.storage import PersistentVolumeClaim, StorageClass
from bot.domain.view import View

NO_PROVISIONER = "kubernetes.io/no-provisioner"


class Obstacle(Enum):
    """Why no volume can be made there."""

    NO_CLASS = "its storage class does not exist"
    NO_PROVISIONER = "its storage class makes no volumes"
    TOPOLOGY = "its storage class makes none there"
    CAPACITY = "not enough storage is left"


@dataclass(frozen=True, slots=True)
class Unmade:
    """A claim for which no volume can be made on the node; `largest` is the most that could be, where that is known."""

    claim: str
    storage_class: str
    why: Obstacle
    largest: int | None = None


def obstacle(view: View, claim: PersistentVolumeClaim, node: Node) -> Unmade | None:
    """What is in the way, or None."""
    found = view.storageclasses.get(claim.storage_class)
    if found is None:
        return Unmade(claim.name, claim.storage_class, Obstacle.NO_CLASS)
    if found.provisioner in ("", NO_PROVISIONER):
        return Unmade(claim.name, found.name, Obstacle.NO_PROVISIONER)
    if not _allowed(found, node.labels):
        return Unmade(claim.name, found.name, Obstacle.TOPOLOGY)
    enough, largest = _room(view, claim, found, node)
    return None if enough else Unmade(claim.name, found.name, Obstacle.CAPACITY, largest)


def _allowed(storage_class: StorageClass, labels: Labels) -> bool:
    """An empty alternative allows nothing; no alternatives at all allow everything."""
    return not storage_class.topologies or any(
        term and all(labels.get(key) in values for key, values in term) for term in storage_class.topologies
    )


def _room(view: View, claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node) -> tuple[bool, int | None]:
    """Only drivers that publish what is left are looked at."""
    driver = view.csidrivers.get(storage_class.provisioner)
    if claim.size is None or driver is None or not driver.capacity:
        return True, None
    sizes = [
        math.ceil(one.largest)
        for one in view.csistoragecapacities.values()
        if one.storage_class == storage_class.name
        and one.largest is not None
        and one.topology is not None
        and one.topology.matches(node.labels)
    ]
    largest = max(sizes, default=None)
    return largest is not None and largest >= math.ceil(claim.size), largest
