"""What the scheduler reads of a pod's spec: one object for all pods of a template. kubernetes/api:core/v1/types.go."""

import msgspec

from bot.domain.node import Taint
from bot.domain.record import NONE, Labels
from bot.domain.selectors import NodeTerm, Selector


class Toleration(msgspec.Struct, frozen=True, gc=False):
    """Which taints the pod puts up with."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """kubernetes/api:core/v1/toleration.go; the numeric operators Lt and Gt are behind a gate that is off."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == taint.value)


class SpreadConstraint(msgspec.Struct, frozen=True, gc=False):
    """One topologySpreadConstraint. Only those with `hard` (DoNotSchedule) keep a pod from a node."""

    key: str
    max_skew: int = 1
    hard: bool = True
    selector: Selector = Selector(nothing=True)
    match_label_keys: tuple[str, ...] = ()
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False


class PodTerm(msgspec.Struct, frozen=True, gc=False):
    """One required term of pod affinity or anti-affinity.

    Namespaces: those listed and those that `namespace_selector` selects; without either, the pod's own.
    """

    key: str  # topologyKey
    selector: Selector
    namespaces: frozenset[str] = frozenset()
    namespace_selector: Selector | None = None


class HostPort(msgspec.Struct, frozen=True, gc=False):
    """A port of the node that the pod takes. An empty address means all addresses."""

    port: int
    protocol: str = "TCP"
    address: str = ""


class ClaimRef(msgspec.Struct, frozen=True, gc=False):
    """One entry of spec.resourceClaims: `claim` names a ResourceClaim, or one is made from `template`."""

    name: str
    claim: str = ""
    template: str = ""


class Disk(msgspec.Struct, frozen=True, gc=False):
    """A volume that names its disk itself (in-tree sources). `kind` is the field's name, such as `rbd`."""

    kind: str
    id: str = ""  # diskName, pdName, volumeID, iqn, image
    read_only: bool = False
    pool: str = ""  # rbd
    monitors: frozenset[str] = frozenset()  # rbd


class Volume(msgspec.Struct, frozen=True, gc=False):
    """One volume that the scheduler has to think about; all others (config maps, empty dirs) are left out.

    `claim` is the name of its PersistentVolumeClaim, of one made for an `ephemeral` volume too.
    """

    name: str
    claim: str = ""
    ephemeral: bool = False
    csi_driver: str = ""  # an inline CSI volume
    disk: Disk | None = None


class PodSpec(msgspec.Struct, frozen=True, eq=False, gc=False):
    """The parts of a spec that filters read, beside requests, volumes and names (which stand in the pod itself)."""

    node_selector: Labels = NONE
    node_terms: tuple[NodeTerm, ...] | None = None  # required node affinity; () matches no node
    tolerations: tuple[Toleration, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
    affinity: tuple[PodTerm, ...] = ()
    anti_affinity: tuple[PodTerm, ...] = ()
    host_ports: tuple[HostPort, ...] = ()
    claims: tuple[ClaimRef, ...] = ()
    gates: tuple[str, ...] = ()
    preemption_policy: str = "PreemptLowerPriority"
    features: frozenset[str] = frozenset()  # what its node must declare (see NodeDeclaredFeatures)


PLAIN = PodSpec()
