"""Where a DaemonSet puts its pods: its nodeSelector, required node affinity and tolerations against a node.

kubernetes/kubernetes:pkg/controller/daemon/daemon_controller.go (Predicates) asks the same of every node, and adds
the tolerations that all daemon pods have (pkg/controller/daemon/util/daemonset_util.go).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.node import Node, Taint
from bot.domain.pod_spec import Toleration
from bot.domain.selectors import NodeTerm, Requirement, node_term
from bot.domain.thing import Thing

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_ALWAYS = tuple(
    Toleration(f"node.kubernetes.io/{name}", "Exists")
    for name in ("not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What keeps a DaemonSet's pod from a node: labels that it lacks, and the first taint that is not tolerated."""

    labels: tuple[Requirement, ...] = ()
    taint: Taint | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """What a pod template asks of nodes. `terms` None: nothing."""

    selector: tuple[Requirement, ...] = ()
    terms: tuple[NodeTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()

    def obstacle(self, node: Node) -> Obstacle | None:
        """None where the pod would come to that node."""
        missing = tuple(one for one in self.selector if not one.matches(node.labels)) + self._unmet(node)
        taint = next((one for one in node.taints if one.blocks and not self._tolerates(one)), None)
        return Obstacle(missing, taint) if missing or taint else None

    def _unmet(self, node: Node) -> tuple[Requirement, ...]:
        """Of the alternative that is nearest: what does not hold there."""
        if self.terms is None or any(term.matches(node.name, node.labels) for term in self.terms):
            return ()
        unmet = [tuple(one for one in term.expressions if not one.matches(node.labels)) for term in self.terms]
        return min(
            (one for one in unmet if one), key=len, default=(Requirement("metadata.name", "In", ("another node",)),)
        )

    def _tolerates(self, taint: Taint) -> bool:
        return any(one.tolerates(taint) for one in (*self.tolerations, *_ALWAYS))


def of_daemonset(thing: Thing) -> Placement:
    """As its pod template says."""
    spec = thing.fields.at("spec", "template", "spec")
    selector = tuple(Requirement(key, "In", (value,)) for key, value in sorted(spec.map("nodeSelector").items()))
    return Placement(selector, _terms(spec), tuple(_tolerations(spec)))


def _terms(spec: Fields) -> tuple[NodeTerm, ...] | None:
    required = spec.at("affinity", "nodeAffinity", _REQUIRED)
    if not required:
        return None
    return tuple(
        node_term(tuple(_requirements(one, "matchExpressions")), tuple(_requirements(one, "matchFields")))
        for one in required.each("nodeSelectorTerms")
    )


def _requirements(term: Fields, name: str) -> Iterator[Requirement]:
    for one in term.each(name):
        yield Requirement(one.text("key"), one.text("operator"), one.texts("values"))


def _tolerations(spec: Fields) -> Iterator[Toleration]:
    for one in spec.each("tolerations"):
        yield Toleration(one.text("key"), one.text("operator"), one.text("value"), one.text("effect"))
