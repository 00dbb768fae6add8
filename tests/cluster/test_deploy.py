"""`/deploy` against the real API server and scheduler: manifests are taken, and pods land as the planner says."""

from __future__ import annotations

import json
import os
import random
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.deploying.candidate import Choice
from bot.deploying.planner import choose
from bot.deploying.wishing import read_wish
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.policy import USUAL
from bot.serving.catalogue import catalogue
from tests.cluster.api import Api, ApiError
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.sandbox import sandbox
from tests.deploying.building import PRODUCTS
from tests.deploying.test_manifests import LOOKS, made
from tests.why.applying.bench import Bench, message_of, node_of
from tests.why.applying.kubelet import kubelet
from tests.why.applying.things import a_node

RESOURCES = {
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "PersistentVolumeClaim": "/api/v1/namespaces/{}/persistentvolumeclaims",
    "Service": "/api/v1/namespaces/{}/services",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
    "Ingress": "/apis/networking.k8s.io/v1/namespaces/{}/ingresses",
}
CUSTOM = ("LeaderWorkerSet", "ScaledObject", "ServiceMonitor", "HTTPRoute")  # their definitions are not installed there
FLEETS = int(os.environ.get("GPUBOT_TEST_FLEETS", "25"))


@pytest.fixture
async def bench(control_plane: ControlPlane, api: Api) -> AsyncIterator[Bench]:
    namespace = f"deploy-{uuid.uuid4().hex[:8]}"
    async with sandbox(api, namespace), kubelet(api, namespace):
        bench = Bench(api, control_plane.kubeconfig, namespace)
        yield bench
        await api.request("DELETE", bench.path("Deployment"), {"propagationPolicy": "Background"})
        await api.request("DELETE", bench.path("Pod"), {"gracePeriodSeconds": 0})
        await bench.until("Pod", lambda pods: not pods)
        for kind, name in bench.made:
            with suppress(ApiError):
                await bench.delete(kind, name)


@pytest.mark.parametrize("name", LOOKS)
async def test_the_api_server_takes_every_manifest(name: str, bench: Bench) -> None:
    seen = set()
    for one in made(name).rendering.objects:
        if one["kind"] in CUSTOM:
            continue
        body = json.loads(json.dumps(one))
        body["metadata"]["namespace"] = bench.namespace
        spec = body.get("spec", {}).get("template", {}).get("spec", {})
        spec.pop("priorityClassName", None)  # a class that is not there
        path = RESOURCES[one["kind"]].format(bench.namespace)
        await bench.api.request("POST", path, body, dryRun="All", fieldValidation="Strict")
        seen.add(one["kind"])
    assert {"ConfigMap", "Service", "PodDisruptionBudget"} <= seen


def fleet(chance: random.Random) -> list[dict[str, Any]]:
    """Up to six nodes of several products and sizes; some cordoned, some kept for others."""
    nodes = []
    for number in range(chance.randint(1, 6)):
        labels = {
            "nvidia.com/gpu.product": PRODUCTS[chance.choice(("H200", "H100", "L40S", "A100", "B200"))],
            "nvidia.com/cuda.driver-version.full": chance.choice(("580.95.05", "570.172.08", "535.183.01")),
        }
        taints = [{"key": "dedicated", "value": "train", "effect": "NoSchedule"}] if chance.random() < 0.2 else []
        node = a_node(
            f"gpu-{number}", chance.choice((1, 4, 8)), cordoned=chance.random() < 0.15, labels=labels, taints=taints
        )
        for amounts in (node["status"]["capacity"], node["status"]["allocatable"]):
            amounts |= {"cpu": chance.choice(("16", "192")), "memory": chance.choice(("128Gi", "2048Gi"))}
        nodes.append(node)
    return nodes


def planned(view: View, bench: Bench, chance: random.Random) -> Choice:
    options = {"namespace": bench.namespace, "replicas": str(chance.randint(1, 3))}
    model = chance.choice(("glm", "flash", "air", "glm-4.7"))
    wish = read_wish((model,), options, catalogue())
    return choose(wish, catalogue(), view, Inventory(view, USUAL), datetime.now(UTC))


def without_volumes(workload: dict[str, Any]) -> dict[str, Any]:
    """Volumes whose objects this test does not make."""
    body: dict[str, Any] = json.loads(json.dumps(workload))
    spec = body["spec"]["template"]["spec"]
    gone = {"weights", "arguments"}
    spec["volumes"] = [one for one in spec["volumes"] if one["name"] not in gone]
    for container in (*spec["initContainers"], *spec["containers"]):
        container["volumeMounts"] = [one for one in container["volumeMounts"] if one["name"] not in gone]
    return body


@pytest.mark.parametrize("seed", range(FLEETS))
async def test_as_many_start_as_the_planner_says(seed: int, bench: Bench) -> None:
    chance = random.Random(seed)
    await bench.create(*fleet(chance))
    choice = planned(await bench.view(), bench, chance)
    best = choice.best
    if best is None:
        assert choice.rejected, "what does not go has its reason"
        return
    if best.draft.nodes_per_replica > 1:
        return
    draft, replicas = best.draft, best.ground.wish.replicas
    body = without_volumes(best.rendering.workload)
    body["metadata"] = {"name": "engine", "namespace": bench.namespace}
    await bench.create(body)

    def judged(pods: list[dict[str, Any]]) -> bool:
        told = f"0/{bench.nodes} nodes are available"
        return len(pods) == replicas and all(node_of(one) or message_of(one).startswith(told) for one in pods)

    await bench.until("Pod", judged)
    bound = [node_of(one) for one in await bench.pods() if node_of(one)]
    assert len(bound) == best.starts, (draft.title, best.room, bound)
    assert all(node in draft.pool.nodes for node in bound)
