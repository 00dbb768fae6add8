"""Objects, an HTTP client and a kubectl for the tests of the local API server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bot.local.cluster.store import RESOURCES

Json = dict[str, Any]
NAMESPACES, NODES, PODS = RESOURCES["", "namespaces"], RESOURCES["", "nodes"], RESOURCES["", "pods"]
CONFIG_MAPS, DEPLOYMENTS = RESOURCES["", "configmaps"], RESOURCES["apps", "deployments"]
REPLICA_SETS, BUDGETS = RESOURCES["apps", "replicasets"], RESOURCES["policy", "poddisruptionbudgets"]
DEFINITIONS = RESOURCES["apiextensions.k8s.io", "customresourcedefinitions"]
POD_PATH = "/api/v1/namespaces/default/pods"
DEPLOYMENT_PATH = "/apis/apps/v1/namespaces/default/deployments"
KUBECTL = Path(sys.executable).with_name("kubectl")


def pod(name: str, labels: Mapping[str, str] | None = None, node: str = "", **metadata: Any) -> Json:
    """A pod of two containers, one of which wants a GPU."""
    gpu = {"limits": {"nvidia.com/gpu": "1"}}
    containers = [{"name": "main", "image": "a:1", "resources": gpu}, {"name": "side", "image": "b:1"}]
    spec: Json = {"containers": containers} | ({"nodeName": node} if node else {})
    meta = {"name": name, "labels": dict(labels or {}), **metadata}
    status = {"phase": "Running" if node else "Pending"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status}


def deployment(name: str, replicas: int = 2, **spec: Any) -> Json:
    """A deployment of one container."""
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": "vllm:1"}]}}
    full = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": full}


def node(name: str) -> Json:
    """A ready node with eight GPUs."""
    resources = {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "8"}
    status = {
        "capacity": resources,
        "allocatable": resources,
        "conditions": [{"type": "Ready", "status": "True"}],
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
        "nodeInfo": {"kubeletVersion": "v1.36.3"},
    }
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {}, "status": status}


def definition() -> Json:
    """A CustomResourceDefinition with status, scale and a printed column."""
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.workers", "statusReplicasPath": ".status.workers"},
        },
        "additionalPrinterColumns": [{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}],
    }
    names = {"plural": "trainjobs", "kind": "TrainJob", "shortNames": ["tj"]}
    spec = {"group": "ml.example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    return {"metadata": {"name": "trainjobs.ml.example.com"}, "spec": spec}


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def reason(self) -> str:
        return str(self.body.get("reason", ""))

    @property
    def names(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.body["items"]]


class Http:
    """Plain requests to one server."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session, self.url = session, url

    async def __call__(
        self, method: str, path: str, body: Any = None, kind: str = "application/json", **headers: str
    ) -> Reply:
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {"Content-Type": kind, **headers}
        async with self.session.request(method, self.url + path, data=data, headers=sent) as response:
            raw = await response.read()
            decoded = json.loads(raw) if "json" in response.content_type else raw.decode()
            return Reply(response.status, decoded, response.headers)

    @asynccontextmanager
    async def watch(self, path: str, **headers: str) -> AsyncIterator[Events]:
        async with self.session.get(self.url + path, headers=headers) as response:
            yield Events(response)


class Events:
    """The lines of one watch."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def next(self) -> Json:
        """The next event; fails after five seconds, or at the end of the watch."""
        async with asyncio.timeout(5):
            line = await self._response.content.readline()
        assert line, "the watch ended"
        return dict(json.loads(line))

    async def told(self, count: int) -> list[tuple[str, str]]:
        """The next events as (type, name)."""
        events = [await self.next() for _ in range(count)]
        return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]

    async def ended(self) -> bool:
        """Whether nothing more comes and the server closes."""
        async with asyncio.timeout(5):
            return not await self._response.content.readline()


@dataclass(frozen=True, slots=True)
class Ran:
    """One kubectl command's outcome."""

    code: int
    out: str
    err: str


class Kubectl:
    """Runs the real kubectl against one server."""

    def __init__(self, config: Path, cache: Path) -> None:
        self._arguments = ["--kubeconfig", str(config), "--cache-dir", str(cache)]

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            KUBECTL, *self._arguments, *arguments, stdin=pipe, stdout=pipe, stderr=pipe
        )

    async def __call__(self, *arguments: str, given: Any = None) -> Ran:
        process = await self.start(*arguments)
        stdin = json.dumps(given).encode() if given is not None else b""
        async with asyncio.timeout(20):
            out, err = await process.communicate(stdin)
        return Ran(process.returncode or 0, out.decode(), err.decode())
