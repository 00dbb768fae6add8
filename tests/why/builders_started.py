"""Pods after the scheduler as the API server shows them, decoded as in life, with events, logs and node readings."""

import json
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.adapters.files.errors import Place
from bot.adapters.files.load import view_of
from bot.adapters.files.objects import Item
from bot.domain.evidence import Evidence, LogRef, NodeRef, ObjectRef, Ref
from bot.domain.fields import Fields
from bot.domain.source import Reading, Source
from bot.why.case import Case
from bot.why.finding import Finding, Stage
from bot.why.subject import Subject, of_pod, of_thing
from tests.factories import NOW, POLICY

Json = dict[str, Any]
KINDS = (
    "pods",
    "nodes",
    "events",
    "jobs",
    "deployments",
    "statefulsets",
    "replicasets",
    "services",
    "runtimeclasses",
    "persistentvolumeclaims",
    "persistentvolumes",
    "volumeattachments",
    "leaderworkersets",
    "daemonsets",
    "cronjobs",
    "csinodes",
)


def at(minutes_ago: float) -> str:
    """A time so many minutes before now."""
    return (NOW - timedelta(minutes=minutes_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def a_container(name: str = "vllm", *, gpus: int = 0, memory: str = "", **more: Any) -> Json:
    """`more` are fields of the spec, such as args, livenessProbe, volumeMounts."""
    limits = ({"nvidia.com/gpu": str(gpus)} if gpus else {}) | ({"memory": memory} if memory else {})
    return {"name": name, "image": "vllm/vllm-openai:v0.24.0", "resources": {"limits": limits}} | more


def waiting(reason: str, message: str = "", name: str = "vllm", **more: Any) -> Json:
    """A status that waits."""
    return {"name": name, "ready": False, "state": {"waiting": {"reason": reason, "message": message}}} | more


def running(name: str = "vllm", *, minutes: float = 10, ready: bool = False, **more: Any) -> Json:
    return {"name": name, "ready": ready, "state": {"running": {"startedAt": at(minutes)}}} | more


def ended(code: int, reason: str = "Error", *, ran: float = 3, ago: float = 1, **more: Any) -> Json:
    """The `terminated` part of a state."""
    return {"exitCode": code, "reason": reason, "startedAt": at(ago + ran), "finishedAt": at(ago)} | more


def over(code: int, reason: str = "Error", name: str = "vllm", **more: Any) -> Json:
    """A status whose run is over."""
    return {"name": name, "ready": False, "state": {"terminated": ended(code, reason)}} | more


def looping(code: int, reason: str = "Error", name: str = "vllm", restarts: int = 5) -> Json:
    """CrashLoopBackOff."""
    last = {"terminated": ended(code, reason)}
    return waiting("CrashLoopBackOff", "back-off 5m0s", name, restartCount=restarts, lastState=last)


def a_pod_object(
    name: str = "glm-0",
    *containers: Json,
    phase: str = "Running",
    node: str = "gpu-a",
    statuses: Iterable[Json] = (),
    inits: Iterable[Json] = (),
    init_statuses: Iterable[Json] = (),
    owner: tuple[str, str] | None = None,
    spec: Json | None = None,
    status: Json | None = None,
    **metadata: Any,
) -> Json:
    """Not ready unless the status says so."""
    references = [{"kind": owner[0], "name": owner[1], "uid": f"uid-{owner[1]}", "controller": True}] if owner else []
    conditions = [{"type": "Ready", "status": "False", "lastTransitionTime": at(20)}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "llm", "creationTimestamp": at(30), "uid": f"uid-{name}"}
        | ({"ownerReferences": references} if references else {})
        | metadata,
        "spec": {
            "nodeName": node,
            "containers": list(containers) or [a_container(gpus=1)],
            "initContainers": list(inits),
        }
        | (spec or {}),
        "status": {
            "phase": phase,
            "startTime": at(30),
            "conditions": conditions,
            "containerStatuses": list(statuses),
            "initContainerStatuses": list(init_statuses),
        }
        | (status or {}),
    }


def ready_status(since: float = 60) -> Json:
    return {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": at(since)}]}


def a_node_object(name: str = "gpu-a", *, gpus: int = 8, labels: Json | None = None, age: float = 10_000) -> Json:
    amounts = {"nvidia.com/gpu": str(gpus), "cpu": "96", "memory": "900Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "creationTimestamp": at(age), "labels": labels or {}},
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.33.5"},
        },
    }


def an_event(
    reason: str,
    message: str,
    *,
    about: str = "glm-0",
    kind: str = "Pod",
    ago: float = 1,
    count: int = 1,
    source: str = "kubelet",
) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{about}.{reason}.{abs(hash((reason, message, ago))) % 10**8}", "namespace": "llm"},
        "involvedObject": {"kind": kind, "name": about} | ({"namespace": "llm"} if kind != "Node" else {}),
        "reason": reason,
        "message": message,
        "type": "Warning",
        "count": count,
        "firstTimestamp": at(ago + 10),
        "lastTimestamp": at(ago),
        "source": {"component": source},
    }


def an_object(kind: str, name: str, api_version: str = "v1", *, cluster_wide: bool = False, **parts: Any) -> Json:
    """Any other object; `parts` are spec, status and the like."""
    metadata = {"name": name, "uid": f"uid-{name}"} | ({} if cluster_wide else {"namespace": "llm"})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata | parts.pop("metadata", {})} | parts


def a_case(
    *objects: Json,
    logs: Mapping[str, str] | None = None,
    kernel: str = "",
    agent: Any = None,
    owner: tuple[str, str] | None = None,
    whole: bool = True,
    unseen: tuple[str, ...] = (),
    unread: tuple[str, ...] = (),
) -> Case:
    """About the first pod, or about the owner (kind, name) whose first pod it is.

    logs: `container` or `container.previous` of the first pod → text. `whole`: whether whole objects were looked up;
    `unseen`: names of those that were not.
    """
    view = view_of([_item(one) for one in objects], "test")
    for kind in KINDS:
        view.sources[kind] = Source(kind, Reading.FORBIDDEN if kind in unread else Reading.LIVE, NOW)
    first = next(one for one in objects if one["kind"] == "Pod")
    pod = view.pods[f"llm/{first['metadata']['name']}"]
    subject: Subject = of_pod(pod)
    if owner is not None:
        thing = view.thing(owner[0], "llm", owner[1])
        assert thing is not None
        subject = of_thing(view, thing)
    texts: dict[Ref, str] = {LogRef("llm", pod.name, *_split(name)): text for name, text in (logs or {}).items()}
    if kernel:
        texts[NodeRef("kernel", pod.node)] = kernel
    if agent is not None:
        texts[NodeRef("agent", pod.node)] = agent if isinstance(agent, str) else json.dumps(agent)
    found = {_ref(one): Fields(one) for one in objects if whole and one["metadata"]["name"] not in unseen}
    return Case(subject, view, NOW, POLICY, Evidence(found, texts), pod)


def ids(stage: Stage, case: Case) -> list[str]:
    return [one.id for one in stage.judge(case)]


def the_one(stage: Stage, case: Case, id_: str) -> Finding:
    """The finding with that id."""
    found = list(stage.judge(case))
    assert id_ in [one.id for one in found], [(one.id, one.sentence) for one in found]
    return next(one for one in found if one.id == id_)


def told(finding: Finding) -> str:
    """All that the finding says, in one text."""
    remedies = (f"{one.action} {one.command} {one.cost}" for one in finding.remedies)
    return "\n".join(
        (finding.sentence, *finding.evidence, *remedies, *finding.useless, *finding.unknown, finding.until)
    )


def _item(one: Json) -> Item:
    group = one["apiVersion"].rpartition("/")[0]
    return Item(group, one["kind"], json.dumps(one).encode(), Place(Path("test")))


def _ref(one: Json) -> ObjectRef:
    metadata = one["metadata"]
    return ObjectRef(one["kind"], metadata.get("namespace", ""), metadata["name"])


def _split(name: str) -> tuple[str, bool]:
    return name.removesuffix(".previous"), name.endswith(".previous")
