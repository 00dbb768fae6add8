"""One test's share of a control plane: a namespace, and nodes that go away with it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from typing import Any

from tests.cluster.api import Api, Object

OWNER = "test.gpubot.dev/namespace"
"""Label of the nodes that a test made: nodes know no namespaces."""


class Sandbox:
    """Makes nodes and pods, and waits for what the real scheduler does with them."""

    def __init__(self, api: Api, namespace: str) -> None:
        self.api = api
        self.namespace = namespace
        self.pods_path = f"/api/v1/namespaces/{namespace}/pods"
        self.node_count = 0

    async def add_nodes(self, *nodes: Object) -> None:
        for node in nodes:
            node["metadata"]["labels"][OWNER] = self.namespace
        await self.api.create_all("/api/v1/nodes", nodes)
        self.node_count += len(nodes)

    async def add_pods(self, *pods: Object) -> None:
        await self.api.create_all(self.pods_path, pods)

    async def scheduled(self, *names: str, timeout_seconds: float = 90) -> dict[str, str]:
        """Pod -> node, once all of `names` have one. Raises TimeoutError."""
        pods = await self._when(names, _node_of, timeout_seconds)
        return {name: _node_of(pods[name]) for name in names}

    async def unschedulable(self, *names: str, timeout_seconds: float = 90) -> dict[str, str]:
        """Pod -> the scheduler's message, once it has judged each of `names` knowing all nodes of this sandbox.

        An earlier message may stem from a moment when the scheduler had not heard of the last node.
        """
        judged = re.compile(rf"0/{self.node_count} nodes are available: ")
        pods = await self._when(names, lambda pod: judged.match(_message_of(pod)), timeout_seconds)
        return {name: _message_of(pods[name]) for name in names}

    async def _when(self, names: tuple[str, ...], done: Any, timeout_seconds: float) -> dict[str, Object]:
        """The pods, once all of `names` are `done`; a TimeoutError tells how the others stood."""

        def waiting(pods: dict[str, Object]) -> list[str]:
            return [name for name in names if name not in pods or not done(pods[name])]

        try:
            return await self.api.until(self.pods_path, lambda pods: not waiting(pods), timeout_seconds=timeout_seconds)
        except TimeoutError:
            listed = await self.api.request("GET", self.pods_path)
            pods = {pod["metadata"]["name"]: pod for pod in listed["items"]}
            told = [f"{name}: {_standing(pods.get(name))}" for name in waiting(pods)[:5]]
            raise TimeoutError("; ".join(told)) from None


@contextlib.asynccontextmanager
async def sandbox(api: Api, namespace: str) -> AsyncIterator[Sandbox]:
    """A new namespace; at the end it goes with its pods, at once because no kubelet ends them, and its nodes."""
    await api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    made = Sandbox(api, namespace)
    try:
        yield made
    finally:
        await api.request("DELETE", made.pods_path, {"gracePeriodSeconds": 0})
        await api.request("DELETE", "/api/v1/nodes", labelSelector=f"{OWNER}={namespace}")
        await api.request("DELETE", f"/api/v1/namespaces/{namespace}")


def _node_of(pod: Object) -> str:
    return str(pod["spec"].get("nodeName", ""))


def _message_of(pod: Object) -> str:
    conditions = pod.get("status", {}).get("conditions", [])
    return next((str(each.get("message", "")) for each in conditions if each["type"] == "PodScheduled"), "")


def _standing(pod: Object | None) -> str:
    if pod is None:
        return "does not exist"
    return f"on {_node_of(pod)}" if _node_of(pod) else _message_of(pod) or "not judged yet"
