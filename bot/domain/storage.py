"""Volumes: what pods claim, what exists, and what a node may attach. kubernetes/api:core/v1 and storage/v1.

Sizes are exact numbers of bytes, or None where nothing is said.
"""

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from bot.domain.pod_spec import Disk
from bot.domain.record import NONE, Labels, Owner, Record
from bot.domain.selectors import NodeTerm, Selector

FILESYSTEM = "Filesystem"
IMMEDIATE = "Immediate"


class PersistentVolumeClaim(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """What a pod asks for. `volume` with `completed` is a binding that holds."""

    namespace: str
    owner: Owner | None = None
    storage_class: str = ""
    volume: str = ""  # spec.volumeName
    completed: bool = False  # the binding of that volume was completed
    selected_node: str | None = None  # where the volume is being made; None: nowhere yet
    phase: str = ""
    deleted: str = ""
    access_modes: frozenset[str] = frozenset()
    size: Fraction | None = None
    mode: str = FILESYSTEM
    selector: Selector | None = None
    attributes_class: str = ""

    @property
    def bound(self) -> bool:
        return bool(self.volume) and self.completed


class PersistentVolume(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """A volume that exists. `claim` is namespace, name and uid of whom it belongs to; an empty uid fits any."""

    labels: Labels = NONE
    storage_class: str = ""
    phase: str = ""
    deleted: str = ""
    size: Fraction = Fraction(0)
    access_modes: frozenset[str] = frozenset()
    mode: str = FILESYSTEM
    attributes_class: str = ""
    claim: tuple[str, str, str] | None = None
    node_terms: tuple[NodeTerm, ...] | None = None  # where it can be reached; None: everywhere
    driver: str = ""  # of a CSI volume
    handle: str = ""
    disk: Disk | None = None  # of an in-tree volume

    def reachable(self, labels: Labels) -> bool:
        """From a node with these labels. Terms know nothing of the node but its labels."""
        return self.node_terms is None or any(term.matches("", labels) for term in self.node_terms)


class StorageClass(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """How volumes are made. `topologies`: alternatives of (label, values) that a node must have; none: any node."""

    provisioner: str = ""
    binding_mode: str = IMMEDIATE
    topologies: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...] = ()


class CSINode(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """Drivers of a node, with the most volumes that each attaches (None: no limit), and which in-tree kinds moved."""

    drivers: Mapping[str, int | None] = msgspec.field(default_factory=dict)
    migrated: frozenset[str] = frozenset()


class CSIDriver(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """`capacity`: it publishes how much it has left, and the scheduler looks."""

    capacity: bool = False


class CSIStorageCapacity(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """How large a volume of a class can be for nodes that `topology` selects; None: nothing is known or reachable."""

    namespace: str
    storage_class: str = ""
    largest: Fraction | None = None
    topology: Selector | None = None


class VolumeAttachment(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """A volume that is attached to a node, or about to be."""

    attacher: str = ""
    node: str = ""
    volume: str = ""
