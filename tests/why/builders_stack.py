"""Builders for a node's GPU stack: its DaemonSets and pods, what they and the kernel say, and the case of a question."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec

from bot.domain.event import Event
from bot.domain.evidence import Evidence, LogRef, NodeRef, ObjectRef, Ref
from bot.domain.fields import Fields
from bot.domain.node import Condition, Node
from bot.domain.pod import Container, ContainerState, Pod
from bot.domain.record import Owner
from bot.domain.source import Reading, Source
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.stack.sight import Sight
from bot.why.ask import case_of
from bot.why.case import Case
from bot.why.subject import find
from tests.factories import NOW, POLICY, a_node, a_pod, put

GPU = "nvidia.com/gpu"
TABLES = ("nodes", "pods", "daemonsets", "runtimeclasses", "nodeclaims", "events", "resourceslices")
NFD_LABEL = "feature.node.kubernetes.io/pci-10de.present"
PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.17.4"
TOLERATES_GPU = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}


def at(**passed: float) -> str:
    """A time before NOW as the API server writes it: `at(minutes=5)`."""
    return (NOW - timedelta(**passed)).strftime("%Y-%m-%dT%H:%M:%SZ")


def kernel(*lines: str, minutes: float = 30) -> str:
    """Kernel messages, one second apart, the first so many minutes ago."""
    start = NOW - timedelta(minutes=minutes)
    stamped = ((start + timedelta(seconds=place)).isoformat() for place in range(len(lines)))
    return "\n".join(f"{time} {line}" for time, line in zip(stamped, lines, strict=True))


def a_silent_node(name: str = "gpu-1", labels: Mapping[str, str] | None = None, **changed: Any) -> Node:
    """A Ready node of some days that offers no GPU resource at all."""
    room = {"cpu": 96_000, "memory": 2**40, "pods": 110}
    defaults: dict[str, Any] = {"capacity": room, "allocatable": room, "created": at(days=3), "product": ""}
    return a_node(name, **(defaults | {"labels": dict(labels or {})} | changed))


def a_daemonset(name: str, image: str = PLUGIN_IMAGE, namespace: str = "gpu", **spec: Any) -> Thing:
    """`desired` of its status, `node_selector`, `tolerations`, `terms` (expressions of one required term)."""
    desired = spec.pop("desired", 0)
    terms = spec.pop("terms", None)
    pod: dict[str, Any] = {"containers": [{"name": "main", "image": image}]}
    pod["nodeSelector"] = spec.pop("node_selector", {})
    pod["tolerations"] = spec.pop("tolerations", [TOLERATES_GPU])
    if terms is not None:
        required = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
        pod["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    labels = {"app": name}
    raw = {
        "spec": {"template": {"metadata": {"labels": labels}, "spec": pod}},
        "status": {"desiredNumberScheduled": desired, "numberReady": desired},
    }
    return Thing(
        name=name,
        namespace=namespace,
        kind="DaemonSet",
        uid=f"uid-{name}",
        labels=labels,
        raw=msgspec.json.encode(raw),
        **spec,
    )


def a_stack_pod(
    name: str, *, node: str = "gpu-1", image: str = PLUGIN_IMAGE, state: ContainerState | None = None, **changed: Any
) -> Pod:
    """A pod of a DaemonSet called as the pod without its last part; `state` None: it runs and is ready."""
    held = state or ContainerState("main", ready=True)
    owner = name.rpartition("-")[0]
    main = held.name if held.name not in ("k8s-driver-manager", "driver-validation", "cuda-validation") else "main"
    containers = [Container(main, image)]
    if main != held.name:
        containers.insert(0, Container(held.name, image, init=True))
    unready = () if held.ready else (Condition("Ready", "False", "ContainersNotReady", since=at(hours=2)),)
    defaults: dict[str, Any] = {
        "labels": {"app": owner},
        "owner": Owner("DaemonSet", owner, f"uid-{owner}"),
        "containers": tuple(containers),
        "states": (held,),
        "conditions": unready,
        "phase": "Running" if held.ready else "Pending",
        "created": at(hours=3),
        "started": at(hours=3),
        "gpus": 0,
        "namespace": "gpu",
    }
    return a_pod(name, node=node, **(defaults | changed))


def crashing(name: str = "main", restarts: int = 12) -> ContainerState:
    return ContainerState(name, restarts=restarts, waiting="CrashLoopBackOff", terminated="Error", exit_code=1)


def a_runtime_class(name: str = "nvidia", handler: str = "nvidia") -> Thing:
    return Thing(name=name, kind="RuntimeClass", raw=msgspec.json.encode({"handler": handler}))


def a_claim_of(node: str, gpus: int) -> Thing:
    """A NodeClaim that was made for that node."""
    raw = {"spec": {"resources": {"requests": {GPU: str(gpus)}}}, "status": {"nodeName": node}}
    return Thing(name=f"claim-{node}", kind="NodeClaim", raw=msgspec.json.encode(raw))


def told(about: Pod | Node, reason: str, message: str, *, minutes: float = 5, count: int = 1) -> Event:
    """An event about a pod or a node."""
    kind = "Pod" if isinstance(about, Pod) else "Node"
    namespace = about.namespace if isinstance(about, Pod) else ""
    return Event(
        name=f"{about.name}.{reason}.{minutes}",
        namespace=namespace or "default",
        about_kind=kind,
        about_namespace=namespace,
        about_name=about.name,
        reason=reason,
        message=message,
        count=count,
        last=at(minutes=minutes),
    )


def a_stack_view(*records: Any, unread: tuple[str, ...] = ()) -> View:
    view = View("test")
    for table in TABLES:
        view.sources[table] = Source(table, Reading.FORBIDDEN if table in unread else Reading.LIVE, NOW)
    for record in records:
        if isinstance(record, Event):
            view.put("events", f"{record.namespace}/{record.name}", record)
        elif isinstance(record, Thing):
            tables = {"DaemonSet": "daemonsets", "RuntimeClass": "runtimeclasses", "NodeClaim": "nodeclaims"}
            view.put(tables[record.kind], record.key, record)
        else:
            put(view, record)
    return view


def evidence(
    logs: Mapping[str, str] | None = None,
    kernels: Mapping[str, str] | None = None,
    agents: Mapping[str, str] | None = None,
    objects: Mapping[str, Any] | None = None,
) -> Evidence:
    """logs by `namespace/pod/container` (or …/container/previous), the rest by node, whole pods by `namespace/name`."""
    texts: dict[Ref, str] = {NodeRef("kernel", node): text for node, text in (kernels or {}).items()}
    texts |= {NodeRef("agent", node): text for node, text in (agents or {}).items()}
    for key, text in (logs or {}).items():
        namespace, pod, container, *previous = key.split("/")
        texts[LogRef(namespace, pod, container, bool(previous))] = text
    whole = {ObjectRef("Pod", *key.split("/", 1)): Fields(data) for key, data in (objects or {}).items()}
    return Evidence(whole, texts)


def sight_of(view: View, name: str = "gpu-1", given: Evidence | None = None) -> Sight:
    return Sight(view, view.nodes[name], POLICY, NOW, given or Evidence())


def asked(view: View, word: str, given: Evidence | None = None) -> Case:
    """The case of that word, which must be known."""
    return case_of(find(view, word)[0], view, POLICY, NOW, given or Evidence())
