"""`/deploy` against the real API server and scheduler: manifests are taken, and pods land as the planner says.

Kinds of controllers that are not installed there are judged where GPUBOT_TEST_CRDS names a folder with their definitions
(YAML files: LeaderWorkerSet, ScaledObject, ServiceMonitor, HTTPRoute). Pod templates of groups are judged without.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.deploying.candidate import Choice
from bot.deploying.planner import choose
from bot.deploying.wishing import read_wish
from bot.deploying.yaml_text import dump
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.policy import USUAL
from bot.serving.catalogue import catalogue
from tests.cluster.api import Api, ApiError
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.sandbox import sandbox
from tests.cluster.test_control_plane import kubectl
from tests.deploying.building import PRODUCTS
from tests.deploying.test_manifests import LOOKS, made
from tests.why.applying.bench import Bench, message_of, node_of
from tests.why.applying.kubelet import kubelet
from tests.why.applying.things import a_node, a_pod

RESOURCES = {
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "PersistentVolumeClaim": "/api/v1/namespaces/{}/persistentvolumeclaims",
    "Service": "/api/v1/namespaces/{}/services",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
    "Ingress": "/apis/networking.k8s.io/v1/namespaces/{}/ingresses",
    "PodTemplate": "/api/v1/namespaces/{}/podtemplates",
}
CUSTOM = {
    "LeaderWorkerSet": "/apis/leaderworkerset.x-k8s.io/v1/namespaces/{}/leaderworkersets",
    "ScaledObject": "/apis/keda.sh/v1alpha1/namespaces/{}/scaledobjects",
    "ServiceMonitor": "/apis/monitoring.coreos.com/v1/namespaces/{}/servicemonitors",
    "HTTPRoute": "/apis/gateway.networking.k8s.io/v1/namespaces/{}/httproutes",
}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CRDS = os.environ.get("GPUBOT_TEST_CRDS", "")
HOLDS = "holder-"
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
    """As text, as it is exported; and so for the templates of groups, as templates of pods."""
    objects = list(yaml.safe_load_all(dump(made(name).rendering.objects)))
    for one in objects:
        if one["kind"] in RESOURCES:
            await take(bench, RESOURCES[one["kind"]], one)
        for which, template in group_templates(one):
            whole = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": which}, "template": template}
            await take(bench, RESOURCES["PodTemplate"], whole)
    assert {"ConfigMap", "Service", "PodDisruptionBudget"} <= {one["kind"] for one in objects}


async def test_kubectl_takes_what_is_exported(bench: Bench, tmp_path: Path) -> None:
    text = dump(made("glm").rendering.objects).replace("namespace: llm\n", f"namespace: {bench.namespace}\n")
    file = tmp_path / "glm.yaml"
    file.write_text(text, encoding="utf-8")
    told = await kubectl(bench.kubeconfig, "apply", "--dry-run=server", "-o", "name", "-f", str(file))
    assert "deployment.apps/glm-prod" in told
    assert len(told.split()) == text.count("\nkind: ") + text.startswith("kind: ")


@pytest.mark.skipif(not CRDS, reason="no folder with definitions of custom kinds was named")
@pytest.mark.parametrize("name", LOOKS)
async def test_custom_kinds_are_taken_too(name: str, bench: Bench) -> None:
    await install(bench.api)
    for one in yaml.safe_load_all(dump(made(name).rendering.objects)):
        if one["kind"] in CUSTOM:
            await take(bench, CUSTOM[one["kind"]], one)


async def take(bench: Bench, path: str, one: dict[str, Any]) -> None:
    """A dry run in which a field that is not known is an error. Raises ApiError."""
    one["metadata"]["namespace"] = bench.namespace
    await bench.api.request("POST", path.format(bench.namespace), one, dryRun="All", fieldValidation="Strict")


def group_templates(one: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    group = one.get("spec", {}).get("leaderWorkerTemplate", {})
    return [(which.lower(), group[which]) for which in ("leaderTemplate", "workerTemplate") if which in group]


async def install(api: Api) -> None:
    """The definitions, until the API server serves them all."""
    bodies = definitions()
    for body in bodies:
        with suppress(ApiError):  # it is there from the test before
            await api.request("POST", DEFINITIONS, body)
    async with asyncio.timeout(60):
        for body in bodies:
            path = f"{DEFINITIONS}/{body['metadata']['name']}"
            while not established(await api.request("GET", path)):  # noqa: ASYNC110  # nothing tells
                await asyncio.sleep(0.2)


def definitions() -> list[dict[str, Any]]:
    texts = [file.read_text(encoding="utf-8") for file in sorted(Path(CRDS).glob("*.yaml"))]
    return [body for text in texts for body in yaml.safe_load_all(text) if body]


def established(definition: dict[str, Any]) -> bool:
    told = definition.get("status", {}).get("conditions") or []
    return any(one["type"] == "Established" and one["status"] == "True" for one in told)


def fleet(chance: random.Random) -> list[dict[str, Any]]:
    """Up to six nodes of several products, sizes and drivers; some cordoned, some kept for others."""
    nodes = []
    for number in range(chance.randint(1, 6)):
        driver = chance.choice(("580.95.05", "580.95.05", "570.172.08", "535.183.01", "470.82.01"))
        labels = {
            "nvidia.com/gpu.product": PRODUCTS[chance.choice(("H200", "H200", "H100", "L40S", "A100", "B200"))],
            "nvidia.com/cuda.driver-version.full": driver,
            "nvidia.com/cuda.driver-version.major": driver.partition(".")[0],
        }
        taints = [{"key": "dedicated", "value": "train", "effect": "NoSchedule"}] if chance.random() < 0.2 else []
        node = a_node(
            f"gpu-{number}", chance.choice((1, 4, 8)), cordoned=chance.random() < 0.15, labels=labels, taints=taints
        )
        for amounts in (node["status"]["capacity"], node["status"]["allocatable"]):
            amounts |= {"cpu": chance.choice(("16", "192")), "memory": chance.choice(("128Gi", "2048Gi"))}
        nodes.append(node)
    return nodes


def holders(nodes: list[dict[str, Any]], chance: random.Random) -> list[dict[str, Any]]:
    """Pods that have some of the GPUs already, so that what is free is in pieces."""
    found = []
    for node in nodes:
        name, gpus = node["metadata"]["name"], int(node["status"]["allocatable"]["nvidia.com/gpu"])
        if (held := chance.choice((0, 0, 0, gpus // 2, gpus))) > 0:
            found.append(a_pod(f"{HOLDS}{name}", held, nodeName=name))
    return found


def ours(pods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in pods if not one["metadata"]["name"].startswith(HOLDS)]


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
    for container in (*spec.get("initContainers", ()), *spec["containers"]):
        container["volumeMounts"] = [one for one in container["volumeMounts"] if one["name"] not in gone]
    return body


@pytest.mark.parametrize("seed", range(FLEETS))
async def test_as_many_start_as_the_planner_says(seed: int, bench: Bench) -> None:
    chance = random.Random(seed)
    nodes = fleet(chance)
    await bench.create(*nodes, *holders(nodes, chance))
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

    def judged(found: list[dict[str, Any]]) -> bool:
        told = f"0/{bench.nodes} nodes are available"
        pods = ours(found)
        return len(pods) == replicas and all(node_of(one) or message_of(one).startswith(told) for one in pods)

    await bench.until("Pod", judged)
    bound = [node_of(one) for one in ours(await bench.pods()) if node_of(one)]
    assert len(bound) == best.starts, (draft.title, best.room, bound)
    assert all(node in draft.pool.nodes for node in bound)


async def test_a_volume_for_one_node_is_filled_where_it_is_read(bench: Bench) -> None:
    """The download's pod waits for the engine's, and goes to its node."""
    label = {"nvidia.com/gpu.product": PRODUCTS["H200"]}
    await bench.create(*[a_node(f"gpu-{number}", 8, labels=label) for number in range(3)])
    best = made("glm")
    job = best.rendering.of("Job")
    assert job is not None
    for one in (job, best.rendering.workload):
        body = without_volumes(one)
        body["metadata"] = {"name": one["kind"].lower(), "namespace": bench.namespace}
        for container in body["spec"]["template"]["spec"]["containers"]:
            gpus = container["resources"]["limits"].get("nvidia.com/gpu")
            container["resources"] = {"limits": {"nvidia.com/gpu": gpus}} if gpus else {}
        await bench.create(body)
    await bench.until("Pod", lambda pods: len(pods) == 2 and all(map(node_of, pods)))
    assert len({node_of(one) for one in await bench.pods()}) == 1
