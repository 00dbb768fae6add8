"""Objects for scaling as the API server has them, decoded as the bot decodes them."""

from collections.abc import Iterable
from typing import Any

import msgspec

from bot.adapters.cluster import kinds
from bot.adapters.cluster.shared import Shared
from bot.domain.evidence import NO_EVIDENCE, Evidence, MetricsRef, ObjectRef
from bot.domain.fields import Fields
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.scaling.preview import Preview, preview
from tests.factories import NOW, POLICY

Object = dict[str, Any]
_TABLES = {kind.object_kind: name for name, kind in kinds.collect().items() if name not in ("volcanojobs",)}


def view_of(*objects: Object, unread: Iterable[str] = ()) -> View:
    """Every kind is read, but for `unread`."""
    view, shared = View("test"), Shared()
    for name in kinds.collect():
        reading = Reading.FORBIDDEN if name in unread else Reading.LIVE
        view.sources[name] = Source(name, reading, NOW)
    for number, item in enumerate(objects):
        table = _TABLES[item["kind"]]
        item["metadata"].setdefault("resourceVersion", str(number))
        item["metadata"].setdefault("creationTimestamp", "2026-11-20T12:00:00Z")
        key, record = kinds.decode(kinds.collect()[table], msgspec.json.encode(item), shared)
        view.put(table, key, record)
    return view


def node(name: str, *, gpus: int = 8, cpu: str = "96", labels: dict[str, str] | None = None, **spec: Any) -> Object:
    room = {"cpu": cpu, "memory": "1024Gi", "pods": "110", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    own = {"kubernetes.io/hostname": name, "nvidia.com/gpu.product": "NVIDIA-H200"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": name, "labels": own | (labels or {})},
        "spec": spec,
        "status": {"allocatable": room, "capacity": room, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def pod_spec(gpus: int = 1, **spec: Any) -> Object:
    asked = {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": str(gpus)}
    container = {
        "name": "engine",
        "image": "engine:v1",
        "args": ["--model", "/models/glm-5", "--served-model-name", "glm-5"],
        "resources": {"limits": asked, "requests": asked},
    }
    return {"containers": [container], **spec}


def deployment(name: str = "glm", replicas: int = 1, *, gpus: int = 1, **spec: Any) -> Object:
    template = {"metadata": {"labels": {"app": name}}, "spec": pod_spec(gpus, **spec)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": name,
            "namespace": "llm",
            "uid": name,
            "annotations": {"deployment.kubernetes.io/revision": "1"},
        },
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template},
        "status": {"replicas": replicas},
    }


def stateful_set(name: str = "glm", replicas: int = 1, policy: str = "OrderedReady", **spec: Any) -> Object:
    template = {"metadata": {"labels": {"app": name}}, "spec": pod_spec()}
    labels = {"matchLabels": {"app": name}}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "llm", "uid": name},
        "spec": {
            "replicas": replicas,
            "podManagementPolicy": policy,
            "selector": labels,
            "template": template,
            **spec,
        },
        "status": {"replicas": replicas},
    }


def replicaset(owner: Object) -> Object:
    meta = owner["metadata"]
    template = owner["spec"]["template"]
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{meta['name']}-abc",
            "namespace": meta["namespace"],
            "uid": f"{meta['uid']}-abc",
            "annotations": {"deployment.kubernetes.io/revision": "1"},
            "ownerReferences": [reference(owner)],
        },
        "spec": {"replicas": owner["spec"]["replicas"], "template": template},
        "status": {"replicas": owner["spec"]["replicas"]},
    }


def reference(owner: Object) -> Object:
    meta = owner["metadata"]
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": meta["name"],
        "uid": meta["uid"],
        "controller": True,
    }


def pod(owner: Object, name: str, on: str = "", *, ready: bool = True, restarts: int = 0, **meta: Any) -> Object:
    template = owner["spec"]["template"]
    phase = "Running" if on else "Pending"
    condition = {"type": "Ready", "status": "True" if ready else "False", "lastTransitionTime": "2026-11-20T12:05:00Z"}
    placed = {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-20T12:00:00Z"}
    state = {"name": "engine", "ready": ready, "restartCount": restarts, "state": {"running": {}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": owner["metadata"]["namespace"],
            "uid": name,
            "labels": template["metadata"]["labels"],
            "ownerReferences": [reference(owner)],
            **meta,
        },
        "spec": {**template["spec"], **({"nodeName": on} if on else {})},
        "status": {"phase": phase, "conditions": [placed, condition], "containerStatuses": [state]} if on else {},
    }


def running(nodes: Iterable[str], *, name: str = "glm", gpus: int = 1, **spec: Any) -> list[Object]:
    """A Deployment whose pods run on these nodes."""
    on = list(nodes)
    top = deployment(name, len(on), gpus=gpus, **spec)
    below = replicaset(top)
    return [top, below, *(pod(below, f"{name}-abc-{index}", where) for index, where in enumerate(on))]


def evidence(*whole: Object, metrics: dict[str, str] | None = None) -> Evidence:
    """Whole objects, and metrics by pod."""
    objects = {
        ObjectRef(one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]): Fields(one)
        for one in whole
    }
    return Evidence(objects, {MetricsRef("llm", name): text for name, text in (metrics or {}).items()})


def previewed(view: View, wanted: int, seen: Evidence = NO_EVIDENCE, *, kind: str = "Deployment") -> Preview:
    thing = view.thing(kind, "llm", "glm")
    assert thing is not None
    return preview(view, Inventory(view, POLICY).policy, thing, wanted, NOW, seen)
