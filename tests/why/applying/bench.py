"""A cluster to ask `/why` about and to try its advice on: the embedded one and the real control plane alike.

Everything goes over HTTP; commands run through a shell, as people paste them.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bot.adapters.cluster.connection import from_kubeconfig
from bot.adapters.cluster.once import read_once
from bot.domain.answer import Remedy
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.policy import Policy
from bot.why.answering import Asked, Result, answer
from bot.why.explain import Explanation
from bot.why.question import take_apart
from bot.why.trial import Trial
from tests.cluster.api import Api, Object

BIN = Path(sys.executable).parent
PATIENCE_SECONDS = 40
COMMAND_SECONDS = 45
PLACES = {
    "Node": "/api/v1/nodes",
    "PersistentVolume": "/api/v1/persistentvolumes",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
    "CSIDriver": "/apis/storage.k8s.io/v1/csidrivers",
    "Pod": "/api/v1/namespaces/{}/pods",
    "PersistentVolumeClaim": "/api/v1/namespaces/{}/persistentvolumeclaims",
    "ResourceQuota": "/api/v1/namespaces/{}/resourcequotas",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "StatefulSet": "/apis/apps/v1/namespaces/{}/statefulsets",
    "ReplicaSet": "/apis/apps/v1/namespaces/{}/replicasets",
    "DaemonSet": "/apis/apps/v1/namespaces/{}/daemonsets",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
}
OWNED_BY_TEST = "test.gpubot.dev/namespace"


@dataclass
class Bench:
    """`namespace` is the test's own. `nodes` counts those that were made."""

    api: Api
    kubeconfig: Path
    namespace: str
    nodes: int = 0
    made: list[tuple[str, str]] = field(default_factory=list)

    def path(self, kind: str, name: str = "") -> str:
        place = PLACES[kind].format(self.namespace)
        return f"{place}/{name}" if name else place

    async def create(self, *objects: Object) -> None:
        """One after the other. Cluster-wide ones are remembered, so that they can be taken away."""
        for one in objects:
            kind, meta = one["kind"], one["metadata"]
            meta.setdefault("labels", {})[OWNED_BY_TEST] = self.namespace
            await self.api.request("POST", self.path(kind), one)
            self.nodes += kind == "Node"
            if "{}" not in PLACES[kind]:
                self.made.append((kind, meta["name"]))

    async def patch(self, kind: str, name: str, change: Object, part: str = "") -> None:
        """A merge patch."""
        await self.api.request("PATCH", self.path(kind, name) + part, change)

    async def delete(self, kind: str, name: str, grace_seconds: int | None = None) -> None:
        """With all that belongs to it, as kubectl does."""
        grace = {} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds}
        await self.api.request("DELETE", self.path(kind, name), {"propagationPolicy": "Background", **grace})

    async def get(self, kind: str, name: str) -> Object:
        return await self.api.request("GET", self.path(kind, name))

    async def until(self, kind: str, ready: Callable[[list[Object]], bool], seconds: float = PATIENCE_SECONDS) -> None:
        """Until it is so of all objects of that kind. Raises TimeoutError that tells how the pods stand."""
        try:
            await self.api.until(self.path(kind), lambda found: ready(list(found.values())), timeout_seconds=seconds)
        except TimeoutError:
            raise TimeoutError("; ".join(map(standing, await self.pods()))) from None

    async def pods(self) -> list[Object]:
        return list((await self.api.request("GET", self.path("Pod")))["items"])

    # ---- waiting -------------------------------------------------------------------------------------------------

    async def running(self, app: str, count: int = 1) -> None:
        """Until `count` pods of that app are ready, and no others of it are there."""
        await self.until("Pod", lambda pods: [ready(one) for one in of(pods, app)] == [True] * count)

    async def refused(self, app: str, count: int = 1) -> None:
        """Until the scheduler, knowing all nodes, has turned down so many pods of that app."""
        judged = f"0/{self.nodes} nodes are available"

        def done(pods: list[Object]) -> bool:
            waiting = [one for one in of(pods, app) if not node_of(one)]
            return len(waiting) == count and all(message_of(one).startswith(judged) for one in waiting)

        await self.until("Pod", done)

    async def placed(self, app: str, count: int = 1, extra: int = 0) -> tuple[str, ...]:
        """The nodes of that app's pods, once so many have one, and at most `extra` more are there."""

        def done(pods: list[Object]) -> bool:
            found = [one for one in of(pods, app) if not one["metadata"].get("deletionTimestamp")]
            return sum(map(bool, map(node_of, found))) >= count and len(found) <= count + extra

        await self.until("Pod", done)
        return tuple(sorted({node_of(one) for one in of(await self.pods(), app)}))

    # ---- asking and doing ----------------------------------------------------------------------------------------

    async def view(self) -> View:
        async with await from_kubeconfig(str(self.kubeconfig)) as connection:
            return await read_once("bench", connection, now=lambda: datetime.now(UTC))

    async def ask(self, question: str) -> Result:
        view = await self.view()
        asked = Asked(take_apart(tuple(question.split())), {}, view, Inventory(view, Policy()), datetime.now(UTC))
        return answer(asked)

    async def why(self, name: str) -> Explanation:
        found = await self.ask(name)
        assert isinstance(found, Explanation)
        return found

    async def what_if(self, question: str) -> Trial:
        found = await self.ask(question)
        assert isinstance(found, Trial)
        return found

    async def shell(self, command: str) -> None:
        """Exactly that command, as pasted into a shell."""
        environment = {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "KUBECONFIG": str(self.kubeconfig),
            "HOME": str(self.kubeconfig.parent),
        }
        process = await asyncio.create_subprocess_exec(
            "sh", "-c", command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), COMMAND_SECONDS)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode == 0, f"{command}\n{output.decode()}"


def verified(found: Explanation) -> list[Remedy]:
    """What is said to have been tried."""
    return [remedy for finding in found.findings for remedy in finding.remedies if remedy.verified]


def of(pods: Iterable[Object], app: str) -> list[Object]:
    """Those of that app that have not ended."""
    return [
        one
        for one in pods
        if one["metadata"].get("labels", {}).get("app") == app
        and one.get("status", {}).get("phase") not in ("Succeeded", "Failed")
    ]


def node_of(pod: Object) -> str:
    return str(pod["spec"].get("nodeName") or "")


def ready(pod: Object) -> bool:
    conditions = pod.get("status", {}).get("conditions") or []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def message_of(pod: Object) -> str:
    conditions = pod.get("status", {}).get("conditions") or []
    return next((str(one.get("message", "")) for one in conditions if one["type"] == "PodScheduled"), "")


def standing(pod: Object) -> str:
    leaving = " (terminating)" if pod["metadata"].get("deletionTimestamp") else ""
    return f"{pod['metadata']['name']}: {node_of(pod) or message_of(pod) or 'not judged'}{leaving}"
