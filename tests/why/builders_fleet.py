"""Small fleets of GPU nodes with pods that wait, as `/why` meets them: everything is read unless a test says otherwise."""

from dataclasses import replace
from typing import Any

import msgspec

from bot.adapters.cluster import kinds
from bot.command import Cluster, Reply
from bot.dialogue import all_commands, decide, request_of, understand
from bot.domain.event import Event
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.history import History
from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.domain.selectors import NodeTerm, Requirement
from bot.domain.source import Reading, Source
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.scheduling.evaluate import evaluate
from bot.scheduling.state import State
from bot.why.answering import Asked
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.question import Question
from bot.why.subject import of_pod
from tests.factories import NOW, POLICY, a_node, a_pod, owned_by
from tests.why.builders_owners import ago, owners_view

GPU = "nvidia.com/gpu"
ZONE = "topology.kubernetes.io/zone"
KNOWN = all_commands()


def a_view_of(*records: Any, unread: tuple[str, ...] = ()) -> View:
    """Every kind is read just now, those in `unread` are forbidden."""
    view = owners_view(*records, unread=unread)
    for name in kinds.collect():
        forbidden = name in unread
        reading = Reading.FORBIDDEN if forbidden else Reading.LIVE
        view.sources[name] = Source(
            name, reading, None if forbidden else NOW, f"needs `list {name}`" if forbidden else ""
        )
    return view


def a_fleet(*records: Any, unread: tuple[str, ...] = ()) -> Cluster:
    """The scheduler has looked at every pod that waits, and said what it says."""
    view = a_view_of(*records, unread=unread)
    view.cluster = "prod-a"
    for pod in list(view.waiting):
        view.put("pods", pod.key, looked_at(pod, view))
    return Cluster("prod-a", view, Inventory(view, POLICY))


def looked_at(pod: Pod, view: View) -> Pod:
    """The pod with the scheduler's own message, where it has none."""
    message = "" if pod.condition("PodScheduled") else evaluate(pod, State(view)).message
    if not message:
        return pod
    said = Condition("PodScheduled", "False", "Unschedulable", message)
    return msgspec.structs.replace(pod, conditions=(*pod.conditions, said))


def h200s(*free: int, first: int = 1, pods: bool = True, **changed: Any) -> list[Any]:
    """Nodes gpu-1, gpu-2, … of 8 H200 with so many free; a Job of train holds the rest of each."""
    made: list[Any] = []
    for number, left in enumerate(free, start=first):
        made.append(a_node(f"gpu-{number}", **changed))
        if left < 8 and pods:
            made.append(a_holder(f"eval-{number}", f"gpu-{number}", 8 - left))
    return made


def a_holder(name: str, node: str, gpus: int, namespace: str = "train", **changed: Any) -> Pod:
    """A pod of a Job that has run for three hours."""
    defaults: dict[str, Any] = {"owner": owned_by("Job", name), "started": ago(hours=3), "created": ago(hours=3)}
    return a_pod(name, node=node, gpus=gpus, namespace=namespace, **(defaults | changed))


def a_waiting(name: str = "glm-0", *, gpus: int = 8, **changed: Any) -> Pod:
    """A pod without a node, for two hours and ten minutes."""
    defaults: dict[str, Any] = {"node": "", "created": ago(hours=2, minutes=10), "uid": f"uid-{name}"}
    return a_pod(name, gpus=gpus, **(defaults | changed))


def in_zone(zone: str) -> tuple[NodeTerm, ...]:
    return (NodeTerm((Requirement(ZONE, "In", (zone,)),)),)


def a_zonal_claim(zone: str, name: str = "weights") -> tuple[PersistentVolumeClaim, PersistentVolume]:
    """A claim that is bound to a volume which only that zone reaches."""
    claim = PersistentVolumeClaim(
        name=name,
        namespace="llm",
        volume=f"pv-{name}",
        completed=True,
        phase="Bound",
        access_modes=frozenset({"ReadWriteOnce"}),
    )
    volume = PersistentVolume(
        name=f"pv-{name}",
        phase="Bound",
        claim=("llm", name, ""),
        node_terms=in_zone(zone),
        access_modes=frozenset({"ReadWriteOnce"}),
    )
    return claim, volume


def scheduler_said(pod: Pod, message: str, *, minutes: float = 1) -> Event:
    return Event(
        name=f"{pod.name}.said",
        namespace=pod.namespace,
        about_kind="Pod",
        about_namespace=pod.namespace,
        about_name=pod.name,
        about_uid=pod.uid,
        reason="FailedScheduling",
        message=message,
        source="default-scheduler",
        last=ago(minutes=minutes),
    )


def case_of_pod(pod: Pod, *records: Any, unread: tuple[str, ...] = ()) -> Case:
    view = a_view_of(pod, *records, unread=unread)
    return Case(of_pod(pod), view, NOW, POLICY, pod=pod)


def an_asked(question: Question, *records: Any, unread: tuple[str, ...] = (), **options: str) -> Asked:
    cluster = a_fleet(*records, unread=unread)
    return Asked(question, options, cluster.view, cluster.inventory, NOW)


class Remembering:
    """A history reader with one history."""

    def __init__(self, history: History) -> None:
        self._history = history

    def history(self, cluster: str) -> History:
        return self._history


def ask(line: str, cluster: Cluster, evidence: Evidence = NO_EVIDENCE) -> Reply:
    """As people type it, decided at once."""
    asked = understand(line, KNOWN)
    request = request_of(asked, {cluster.name: cluster}, cluster.name, lambda: NOW, KNOWN)
    return decide(asked, replace(request, evidence=evidence))


def ids(findings: list[Finding]) -> list[str]:
    return [one.id for one in findings]
