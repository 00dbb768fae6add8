"""A cluster of store and controllers, with a kubelet that makes every bound pod ready at once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from bot.local.cluster.clock import Clock
from bot.local.cluster.controllers import Controllers
from bot.local.cluster.store import RESOURCES, ApiError, Change, Store

Obj = dict[str, Any]
GPU = "nvidia.com/gpu"


def resource(name: str) -> Any:
    return next(found for found in RESOURCES.values() if found.plural == name)


class Cluster:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.store = Store(clock=clock)
        self.controllers = Controllers(self.store, clock)
        self.kubelet = True
        self.changes: list[Change] = []

    def add(self, plural: str, obj: Obj, namespace: str = "default") -> Obj:
        return self.store.create(resource(plural), namespace, obj)

    def get(self, plural: str, name: str, namespace: str = "default") -> Obj:
        return self.store.get(resource(plural), namespace, name)

    def all(self, plural: str) -> list[Obj]:
        return self.store.list(resource(plural))

    def names(self, plural: str) -> list[str]:
        return [obj["metadata"]["name"] for obj in self.all(plural)]

    def change(self, plural: str, name: str, namespace: str = "default", **spec: Any) -> Obj:
        obj = self.get(plural, name, namespace)
        return self.store.update(resource(plural), namespace, name, {**obj, "spec": {**obj["spec"], **spec}})

    def status(self, plural: str, name: str, **status: Any) -> Obj:
        obj = self.get(plural, name)
        new = {**obj, "status": {**obj["status"], **status}}
        return self.store.update(resource(plural), "default", name, new, subresource="status")

    def delete(self, plural: str, name: str, grace: int | None = None) -> None:
        self.store.delete(resource(plural), "default", name, grace_seconds=grace)

    def finish(self, name: str, phase: str = "Succeeded") -> None:
        self.status("pods", name, phase=phase, conditions=[])

    def events(self, reason: str) -> list[str]:
        return [event["message"] for event in self.all("events") if event["reason"] == reason]

    def message(self, name: str) -> str:
        conditions = self.get("pods", name)["status"].get("conditions") or []
        return next((c.get("message", "") for c in conditions if c["type"] == "PodScheduled"), "")

    def node_of(self, name: str) -> str:
        return self.get("pods", name)["spec"].get("nodeName", "")

    async def until(self, holds: Callable[[], Any], seconds: float = 5.0) -> None:
        """Until it holds and the controllers have nothing left to do."""
        async with asyncio.timeout(seconds):
            while not (self.controllers.idle and _answers(holds)):  # noqa: ASYNC110 - idleness is no event
                await asyncio.sleep(0.002)

    async def calm(self) -> None:
        await asyncio.sleep(0)
        await self.until(lambda: True)

    def play_kubelet(self, change: Change) -> None:
        if change.resource.plural != "pods" or change.type == "DELETED" or not self.kubelet:
            return
        meta, spec, status = change.new["metadata"], change.new["spec"], change.new["status"]
        if not spec.get("nodeName"):
            return
        if meta.get("deletionTimestamp"):
            asyncio.get_running_loop().call_soon(self._end, meta["name"], meta["uid"])
        elif status.get("phase") == "Pending":
            ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
            self.status("pods", meta["name"], phase="Running", conditions=[*status.get("conditions", []), ready])

    def _end(self, name: str, uid: str) -> None:
        if name in self.names("pods") and self.get("pods", name)["metadata"]["uid"] == uid:
            self.delete("pods", name, grace=0)


@asynccontextmanager
async def a_cluster(*nodes: Obj, speed: float = 200.0) -> AsyncIterator[Cluster]:
    cluster = Cluster(Clock(speed=speed))
    cluster.add("namespaces", {"metadata": {"name": "default"}})
    cluster.controllers.start()
    cluster.store.subscribe(cluster.changes.append)
    cluster.store.subscribe(cluster.play_kubelet)
    for node in nodes:
        cluster.add("nodes", node)
    try:
        yield cluster
    finally:
        await cluster.controllers.stop()


def a_node(name: str = "n1", *, gpus: int = 0, cpu: str = "8", pods: str = "110", **spec: Any) -> Obj:
    labels = spec.pop("labels", {})
    allocatable = {"cpu": cpu, "memory": "64Gi", "pods": pods, **({GPU: str(gpus)} if gpus else {})}
    return {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "spec": spec,
        "status": {
            "capacity": allocatable,
            "allocatable": allocatable,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def a_container(name: str = "main", **requests: str) -> Obj:
    found = {GPU if key == "gpu" else key: value for key, value in requests.items()}
    return {"name": name, "image": "app:1", "resources": {"requests": found, "limits": dict(found)}}


def a_spec(*, gpus: int = 0, cpu: str = "100m", **spec: Any) -> Obj:
    requests = {"cpu": cpu, **({"gpu": str(gpus)} if gpus else {})}
    return {"containers": [a_container(**requests)], **spec}


def a_pod(name: str = "p", **spec: Any) -> Obj:
    return {"metadata": {"name": name, "namespace": "default"}, "spec": a_spec(**spec)}


def a_workload(name: str, *, replicas: int = 1, template: Obj | None = None, **spec: Any) -> Obj:
    labels = {"app": name}
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": template or a_spec()},
            **spec,
        },
    }


def _answers(holds: Callable[[], Any]) -> bool:
    try:
        return bool(holds())
    except (ApiError, KeyError):
        return False
