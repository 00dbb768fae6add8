"""What is looked up for one question only, because keeping it for a whole cluster would cost too much.

A command says what it wants (`Wanted`), an adapter looks (bot.ports.Looker), the command reads what came (`Evidence`).
What did not come stands in `missing` with its reason: it is unknown, not empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.domain.fields import Fields

LOG_MAX_BYTES = 128 * 1024  # of each log, from its end


class ObjectRef(NamedTuple):
    """One whole object. `kind` as objects call themselves; no namespace for cluster-wide ones."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {f'{self.namespace}/' if self.namespace else ''}{self.name}"


class LogRef(NamedTuple):
    """The log of one container, running or the one before."""

    namespace: str
    pod: str
    container: str
    previous: bool = False

    def __str__(self) -> str:
        which = "previous log" if self.previous else "log"
        return f"{which} of {self.namespace}/{self.pod} ({self.container})"


class NodeRef(NamedTuple):
    """Something that only the node itself knows. `what`: `kernel` (its messages) or `agent` (its GPUs by NVML)."""

    what: str
    node: str

    def __str__(self) -> str:
        return f"{'kernel messages' if self.what == 'kernel' else 'GPU readings'} of {self.node}"


class MetricsRef(NamedTuple):
    """Prometheus text of a pod's /metrics."""

    namespace: str
    pod: str

    def __str__(self) -> str:
        return f"metrics of {self.namespace}/{self.pod}"


Ref = ObjectRef | LogRef | NodeRef | MetricsRef


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look up, most important first: an adapter may stop where its time ends."""

    refs: tuple[Ref, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.refs)

    def __add__(self, other: "Wanted") -> "Wanted":
        return Wanted(tuple(dict.fromkeys((*self.refs, *other.refs))))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What came: objects as fields, everything else as text. `missing`: why something did not."""

    objects: Mapping[ObjectRef, Fields] = field(default_factory=dict)
    texts: Mapping[Ref, str] = field(default_factory=dict)
    missing: Mapping[Ref, str] = field(default_factory=dict)

    def object(self, kind: str, namespace: str, name: str) -> Fields:
        """The object; an empty one where it was not looked up or is not there."""
        return self.objects.get(ObjectRef(kind, namespace, name)) or Fields()

    def log(self, namespace: str, pod: str, container: str, *, previous: bool = False) -> str:
        return self.texts.get(LogRef(namespace, pod, container, previous), "")

    def kernel(self, node: str) -> str:
        return self.texts.get(NodeRef("kernel", node), "")

    def agent(self, node: str) -> str:
        """JSON of the node agent."""
        return self.texts.get(NodeRef("agent", node), "")

    def metrics(self, namespace: str, pod: str) -> str:
        return self.texts.get(MetricsRef(namespace, pod), "")


NO_EVIDENCE = Evidence()
