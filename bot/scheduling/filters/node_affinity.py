"""NodeAffinity: nodeSelector and required node affinity. Terms are alternatives; all of a term must hold.

`detail` is a Mismatch: which parts of the nodeSelector and which requirements of each term do not hold there.
"""

from dataclasses import dataclass

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec
from bot.domain.selectors import NodeTerm, Requirement
from bot.scheduling.columns import crossed, label
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import NodeInfo, State

NO_MATCH = ("node(s) didn't match Pod's node affinity/selector",)
CONFLICT = "pod affinity terms conflict"
NAME = "metadata.name"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`selector`: the labels of nodeSelector that the node lacks; `terms`: per alternative what does not hold."""

    selector: tuple[tuple[str, str], ...]
    terms: tuple[tuple[Requirement, ...], ...]


class Answers:
    """What is said of a node, kept by the labels that the pod asks about: thousands of nodes differ in none of them.

    keys: those labels. by_name: whether it also asks for the node's name.
    """

    def __init__(self, spec: PodSpec) -> None:
        self._spec = spec
        terms = spec.node_terms or ()
        asked = [one.key for term in terms for one in term.expressions]
        self.keys = tuple(dict.fromkeys([*spec.node_selector, *asked]))
        self.by_name = any(term.fields for term in terms)
        self._found: dict[tuple[str | None, ...], Failure | None] = {}

    def __call__(self, node: Node) -> Failure | None:
        """None where the node has what nodeSelector and required node affinity ask for."""
        value = node.labels.get
        alike = tuple([value(key) for key in self.keys])
        if self.by_name:
            alike += (node.name,)
        try:
            return self._found[alike]
        except KeyError:
            spec = self._spec
            failure = None if _matches(spec, node) else Failure(Code.UNRESOLVABLE, NO_MATCH, _mismatch(spec, node))
            self._found[alike] = failure
            return failure


def asks(spec: PodSpec) -> bool:
    """Whether the pod asks anything of its node at all."""
    return bool(spec.node_selector) or spec.node_terms is not None


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    """Terms that all name nodes leave only those (DaemonSet pods); names that contradict each other leave none."""
    del state
    if not asks(pod.spec):
        return SKIP
    answers = Answers(pod.spec)
    named = [_named(term) for term in pod.spec.node_terms or ()]
    names = [one for one in named if one is not None]
    if not named or len(names) < len(named):
        return PreFilterResult(data=answers)
    nodes = frozenset().union(*names)
    return PreFilterResult(nodes=nodes, data=answers) if nodes else rejected(Code.UNRESOLVABLE, CONFLICT)


def _named(term: NodeTerm) -> frozenset[str] | None:
    """The node names that a term asks for; None where it leaves that open."""
    found: frozenset[str] | None = None
    for field in term.fields:
        if field.key == NAME and field.operator == "In":
            values = frozenset(field.values)
            found = values if found is None else found & values
    return found


def _matches(spec: PodSpec, node: Node) -> bool:
    labels = node.labels
    if any(labels.get(key) != value for key, value in spec.node_selector.items()):
        return False
    return spec.node_terms is None or any(term.matches(node.name, labels) for term in spec.node_terms)


def node_affinity(pod: Pod, info: NodeInfo, data: Answers, state: State) -> Failure | None:
    del pod, state
    return data(info.node)


def column(pod: Pod, snapshot: Snapshot, data: Answers) -> list[Failure | None]:
    """Of nodes that differ in none of the labels that the pod asks about one is asked."""
    del pod
    infos = snapshot.infos.values()
    if not data.keys or data.by_name:
        return [data(info.node) for info in infos]
    nodes = list(infos)
    alike = crossed([label(snapshot, key) for key in data.keys])
    return alike.told([data(nodes[number].node) for number in alike.samples])


def _mismatch(spec: PodSpec, node: Node) -> Mismatch:
    labels, name = node.labels, {NAME: node.name}
    return Mismatch(
        tuple((key, value) for key, value in spec.node_selector.items() if labels.get(key) != value),
        tuple(
            tuple(one for one in term.expressions if term.invalid or not one.matches(labels))
            + tuple(one for one in term.fields if term.invalid or not one.matches(name))
            for term in spec.node_terms or ()
        ),
    )


FILTER = Filter(
    name="NodeAffinity",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#affinity-and-anti-affinity",
    prefilter=prefilter,
    filter=node_affinity,
    column=column,
)
