"""A local API server with a few objects, and a writer for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.adapters.cluster.access import Access
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.writer import ClusterWriter
from bot.domain.change import Step, Target, Verb
from bot.local.cluster.api import ApiServer, User
from bot.local.cluster.store import RESOURCES, Store

Object = dict[str, Any]
RBAC = "rbac.authorization.k8s.io"
BOT = "system:serviceaccount:gpubot:gpubot"


@dataclass
class Place:
    """What a test talks to; `store` shows what came of it."""

    store: Store
    server: ApiServer
    writer: ClusterWriter

    def get(self, group: str, plural: str, name: str) -> Object:
        return self.store.get(RESOURCES[group, plural], "llm", name)

    def replicas(self) -> int:
        return int(self.get("apps", "deployments", "glm")["spec"]["replicas"])


def deployment(name: str = "glm", replicas: int = 2) -> Object:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "engine", "image": "vllm:1"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"metadata": {"name": name}, "spec": spec}


def pod(name: str = "glm-0") -> Object:
    spec = {"nodeName": "n1", "containers": [{"name": "engine", "image": "vllm:1"}]}
    metadata = {"name": name, "labels": {"app": "glm"}}
    return {"metadata": metadata, "spec": spec, "status": {"phase": "Running"}}


def target(**given: str) -> Target:
    usual = {"api_version": "apps/v1", "kind": "Deployment", "resource": "deployments", "namespace": "llm"}
    return Target(**{**usual, "name": "glm", **given})


def pod_target(**given: str) -> Target:
    return target(**{"api_version": "v1", "kind": "Pod", "resource": "pods", "name": "glm-0", **given})


def scale(replicas: int, **given: str) -> Step:
    body = {"spec": {"replicas": replicas}}
    return Step(verb=Verb.PATCH, target=target(subresource="scale", **given), body=body)


def bind(store: Store, name: str, subject: Object, *rules: Object) -> None:
    """Give a subject a ClusterRole of these rules."""
    store.create(RESOURCES[RBAC, "clusterroles"], "", {"metadata": {"name": name}, "rules": list(rules)})
    ref = {"apiGroup": RBAC, "kind": "ClusterRole", "name": name}
    binding = {"metadata": {"name": name}, "subjects": [subject], "roleRef": ref}
    store.create(RESOURCES[RBAC, "clusterrolebindings"], "", binding)


def user(name: str) -> Object:
    return {"kind": "User", "name": name, "apiGroup": RBAC}


def rule(verbs: str, resources: str, group: str = "") -> Object:
    return {"verbs": verbs.split(), "resources": resources.split(), "apiGroups": [group]}


@asynccontextmanager
async def a_place() -> AsyncIterator[Place]:
    """gpubot comes in as a service account; while nothing is bound it may do everything."""
    store = Store(clock=lambda: datetime(2026, 12, 1, tzinfo=UTC), graceful_pods=False)
    store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": "llm"}})
    store.create(RESOURCES["apps", "deployments"], "llm", deployment(), manager="helm")
    store.create(RESOURCES["", "pods"], "llm", pod())
    server = ApiServer(store, tokens={"t": User(BOT)}, logs=lambda *_: "one\ntwo\nthree\n")
    await server.start()
    access = Access(server.url, "a test", headers={"Authorization": "Bearer t"})
    try:
        async with Connection(access) as connection:
            yield Place(store, server, ClusterWriter(connection))
    finally:
        await server.stop()
