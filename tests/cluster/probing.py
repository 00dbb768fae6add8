"""Asking the real scheduler how much still fits, by trying, and bringing a fleet into the state that is asked about."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.cluster.api import ApiError, Object
from tests.cluster.fleet import (
    ANY_GPU_NODE,
    FEW_PODS,
    PRODUCT,
    RESERVED,
    WAITS,
    overhead_class,
    random_nodes,
    random_pods,
)
from tests.cluster.objects import GPU, gpu_node, gpu_pod
from tests.cluster.sandbox import Sandbox

FINALIZER = "test.gpubot.dev/held"
SPARE = 3
"""One-GPU pods beyond those that should fit: they must all be refused."""


async def settle(cluster: Sandbox, *names: str) -> dict[str, Object]:
    """All pods, once the scheduler has bound or refused those of `names`, knowing all nodes."""
    judged = f"0/{cluster.node_count} nodes are available: "

    def done(pods: dict[str, Object]) -> bool:
        return all(name in pods and (_node(pods[name]) or _message(pods[name]).startswith(judged)) for name in names)

    return await cluster.api.until(cluster.pods_path, done)


def _node(pod: Object) -> str:
    return str(pod["spec"].get("nodeName", ""))


def _message(pod: Object) -> str:
    conditions = pod.get("status", {}).get("conditions", [])
    return next((str(each.get("message", "")) for each in conditions if each["type"] == "PodScheduled"), "")


@asynccontextmanager
async def fleet(cluster: Sandbox, chance: random.Random) -> AsyncIterator[None]:
    """A random fleet whose pods the scheduler placed; then some end, some hang, and some nodes are withdrawn."""
    try:
        await _build(cluster, chance)
        yield
    finally:
        await _let_go(cluster)


async def _build(cluster: Sandbox, chance: random.Random) -> None:
    with suppress(ApiError):  # it is no namespace's, so another test may have made it
        await cluster.api.request("POST", "/apis/node.k8s.io/v1/runtimeclasses", overhead_class())
    pods = random_pods(chance)
    await cluster.add_nodes(*random_nodes(chance))
    await fence(cluster)  # a pod refused before the last node was heard of may not be judged again for minutes
    await cluster.add_pods(*pods)
    placed = (await settle(cluster, *(pod["metadata"]["name"] for pod in pods))).values()
    for pod in placed:
        if not _node(pod) and pod["metadata"]["name"] != WAITS:  # it would take the place of those that end
            await remove_pod(cluster, pod["metadata"]["name"])
    await _change_pods(cluster, chance, [pod for pod in placed if _node(pod)])
    await _fill_places(cluster)
    await _withdraw_nodes(cluster, chance)
    await fence(cluster)


async def _let_go(cluster: Sandbox) -> None:
    """Take the finalizers off, so that the pods can go with the sandbox."""
    for pod in (await cluster.api.request("GET", cluster.pods_path))["items"]:
        if pod["metadata"].get("finalizers"):
            path = f"{cluster.pods_path}/{pod['metadata']['name']}"
            await cluster.api.request("PATCH", path, {"metadata": {"finalizers": None}})


async def _change_pods(cluster: Sandbox, chance: random.Random, bound: list[Object]) -> None:
    chance.shuffle(bound)
    finished, held, slow = bound[:2], bound[2:4], bound[4:6]
    for pod, phase in zip(finished, ("Succeeded", "Failed"), strict=False):
        path = f"{cluster.pods_path}/{pod['metadata']['name']}/status"
        await cluster.api.request("PATCH", path, {"status": {"phase": phase}})
    for pod in held:
        path = f"{cluster.pods_path}/{pod['metadata']['name']}"
        await cluster.api.request("PATCH", path, {"metadata": {"finalizers": [FINALIZER]}})
        await remove_pod(cluster, pod["metadata"]["name"])
    for pod in slow:
        await remove_pod(cluster, pod["metadata"]["name"], grace_seconds=3600)


async def remove_pod(cluster: Sandbox, name: str, *, grace_seconds: int = 0) -> None:
    """Delete it. No kubelet runs, so with a grace period it terminates for as long."""
    await cluster.api.request("DELETE", f"{cluster.pods_path}/{name}", {"gracePeriodSeconds": grace_seconds})


async def _fill_places(cluster: Sandbox) -> None:
    """The node that takes few pods gets as many as it takes, so that its GPUs are out of reach."""
    listed = await cluster.api.request("GET", cluster.pods_path)
    there = [pod for pod in listed["items"] if _node(pod) == "node-1"]
    live = [pod for pod in there if pod["status"]["phase"] not in ("Succeeded", "Failed")]
    more = range(int(FEW_PODS) - len(live))
    await cluster.add_pods(*(gpu_pod(f"filler-{n}", gpus=0, spec={"nodeName": "node-1"}) for n in more))


async def _withdraw_nodes(cluster: Sandbox, chance: random.Random) -> None:
    cordoned, reserved, shrunk, lost = chance.sample(range(2, 12), k=4)
    await _change_node(cluster, cordoned, {"spec": {"unschedulable": True}})
    await _change_node(cluster, reserved, {"spec": {"taints": [RESERVED]}})
    await _change_node(cluster, shrunk, {"status": {"allocatable": {GPU: "1"}}}, "/status")
    not_ready = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    condition = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
    await _change_node(cluster, lost, {"status": {"conditions": [condition]}}, "/status")
    await _change_node(cluster, lost, {"spec": {"taints": [not_ready]}})


async def _change_node(cluster: Sandbox, number: int, change: Object, part: str = "") -> None:
    await cluster.api.request("PATCH", f"/api/v1/nodes/node-{number}{part}", change)


async def fence(cluster: Sandbox) -> None:
    """Return when the scheduler knows all that was written so far: it binds a pod that needs the newest node."""
    number = cluster.node_count
    await cluster.add_nodes(gpu_node(f"fence-{number}", gpus=0, labels={"fence": str(number)}))
    await cluster.add_pods(gpu_pod(f"fence-{number}", gpus=0, spec={"nodeSelector": {"fence": str(number)}}))
    await cluster.scheduled(f"fence-{number}")


def probe(name: str, product: str, gpus: int) -> Object:
    """An ordinary GPU pod: it tolerates the GPU taint and nothing else, and asks for hardly any CPU."""
    pod = gpu_pod(name, spec={"nodeSelector": {PRODUCT: product}, "tolerations": [ANY_GPU_NODE]})
    pod["spec"]["containers"][0]["resources"] = {"limits": {GPU: str(gpus)}}
    return pod


async def largest_accepted(cluster: Sandbox, product: str, most: int = 9) -> int:
    """The largest request that the scheduler binds now, by trying each size on an unchanged fleet."""
    for gpus in range(most, 0, -1):
        name = f"size-{gpus}"
        await cluster.add_pods(probe(name, product, gpus))
        bound = _node((await settle(cluster, name))[name])
        await remove_pod(cluster, name)
        if bound:
            await fence(cluster)
            return gpus
    return 0


async def accepted_one_by_one(cluster: Sandbox, product: str, expected: int) -> int:
    """How many one-GPU pods the scheduler binds of `expected` and a few more."""
    names = [f"one-{number}" for number in range(expected + SPARE)]
    await cluster.add_pods(*(probe(name, product, 1) for name in names))
    pods = await settle(cluster, *names)
    return sum(bool(_node(pods[name])) for name in names)
