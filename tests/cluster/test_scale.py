"""`/scale` against the real scheduler and controllers: what the preview says comes true when the number is really set."""

from __future__ import annotations

import random
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.changes.kind import Ask
from bot.changes.kinds.scale import CHANGE, preview_of
from bot.changes.scale_ask import scale_ask
from bot.gpu.inventory import Inventory
from bot.gpu.policy import Policy
from bot.scaling.preview import Preview
from tests.cluster.api import Api, ApiError
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.sandbox import sandbox
from tests.why.applying.bench import Bench, message_of, node_of, of
from tests.why.applying.kubelet import kubelet
from tests.why.applying.things import DEDICATED, ZONE, a_deployment, a_node, a_pod, a_priority_class, a_stateful_set

APP = "glm"
MAKERS = ("Deployment", "ReplicaSet", "StatefulSet")
OWN = {"labelSelector": {"matchLabels": {"app": APP}}}
SPREAD = {
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", **OWN}]
}
HOST = {"topologyKey": "kubernetes.io/hostname", **OWN}
APART = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [HOST]}}}
TOLERATES = {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}
SHAPES: tuple[dict[str, Any], ...] = ({}, SPREAD, APART, TOLERATES, {**SPREAD, **TOLERATES})
HPA_SECONDS = 60


@pytest.fixture
async def bench(control_plane: ControlPlane, api: Api) -> AsyncIterator[Bench]:
    namespace = f"scale-{uuid.uuid4().hex[:8]}"
    async with sandbox(api, namespace), kubelet(api, namespace):
        made = Bench(api, control_plane.kubeconfig, namespace)
        yield made
        for kind in MAKERS:
            await api.request("DELETE", made.path(kind), {"propagationPolicy": "Background"})
        await api.request("DELETE", made.path("Pod"), {"gracePeriodSeconds": 0})
        await made.until("Pod", lambda pods: not pods)
        for kind, name in made.made:
            with suppress(ApiError):
                await made.delete(kind, name)


async def _ask(bench: Bench, typed: str) -> Ask:
    view = await bench.view()
    return scale_ask(typed.split(), {"namespace": bench.namespace}, view, Inventory(view, Policy()), datetime.now(UTC))


async def _previewed(bench: Bench, typed: str) -> Preview:
    return preview_of(await _ask(bench, typed))


async def _done(bench: Bench, typed: str) -> None:
    """The plan's own step, as the API server takes it."""
    (step,) = CHANGE.plan(await _ask(bench, typed)).steps
    assert step.target.subresource == "scale"
    await bench.patch(step.target.kind, step.target.name, step.body, f"/{step.target.subresource}")


async def _settled(bench: Bench, replicas: int) -> list[str]:
    """The nodes of all pods that have one, once the scheduler has judged every pod that is there."""

    def done(pods: list[dict[str, Any]]) -> bool:
        found = [one for one in of(pods, APP) if not one["metadata"].get("deletionTimestamp")]
        return len(found) == replicas and all(node_of(one) or _judged(one) for one in found)

    await bench.until("Pod", done)
    return [node_of(one) for one in of(await bench.pods(), APP) if node_of(one)]


def _rolled_out(deployment: dict[str, Any]) -> bool:
    """One pod of the newest template, and none of another."""
    status = deployment["status"]
    observed = status.get("observedGeneration") == deployment["metadata"]["generation"]
    return observed and status.get("updatedReplicas") == status.get("replicas") == status.get("readyReplicas") == 1


def _judged(pod: dict[str, Any]) -> bool:
    return "nodes are available" in message_of(pod) and not pod["status"].get("nominatedNodeName")


def _fleet(chance: random.Random) -> list[dict[str, Any]]:
    """Up to five nodes of different sizes in two zones, some cordoned, some set apart."""
    nodes = []
    for number in range(chance.randint(2, 5)):
        taints = [DEDICATED] if chance.random() < 0.25 else []
        labels = {ZONE: f"zone-{number % 2}"}
        cordoned = chance.random() < 0.2
        nodes.append(a_node(f"gpu-{number}", chance.choice((2, 4, 8)), cordoned=cordoned, labels=labels, taints=taints))
    return nodes


@pytest.mark.parametrize("seed", range(12))
async def test_as_many_are_bound_as_the_preview_says(seed: int, bench: Bench) -> None:
    chance = random.Random(seed)
    gpus, more, shape = chance.choice((1, 2, 3)), chance.randint(2, 6), SHAPES[seed % len(SHAPES)]
    await bench.create(*_fleet(chance))
    if chance.random() < 0.5:
        await bench.create(a_pod("other", 1, **TOLERATES))
        await bench.until("Pod", lambda pods: all(node_of(one) or message_of(one) for one in pods))
    begin = chance.choice((0, 1))
    await bench.create(a_deployment(APP, gpus, begin, **shape))
    before = await _settled(bench, begin)
    told = await _previewed(bench, f"{APP} +{more}")
    assert told.up is not None
    await _done(bench, f"{APP} +{more}")
    nodes = await _settled(bench, begin + more)
    assert len(nodes) - len(before) == told.up.starts, (told.up.placing.nodes, sorted(nodes))


async def test_the_node_that_the_scheduler_prefers_is_named(bench: Bench) -> None:
    """By CPU in use, by its own kind on a node, and not by GPUs in use."""
    await bench.create(a_node("gpu-0"), a_node("gpu-1"), a_node("gpu-2"))
    busy = {"nodeName": "gpu-1"}
    await bench.create(*(a_pod(f"busy-{number}", 1, **busy) for number in range(3)))
    await bench.until("Pod", lambda pods: len(pods) == 3)
    await bench.create(a_deployment(APP, 1, 1, nodeSelector={"kubernetes.io/hostname": "gpu-0"}))
    await bench.running(APP)
    spec = {"spec": {"template": {"spec": {"nodeSelector": None}}}}
    await bench.patch("Deployment", APP, spec)
    await bench.until("Deployment", lambda found: _rolled_out(found[0]))
    await bench.running(APP)
    nodes = await bench.placed(APP, 1)
    told = await _previewed(bench, f"{APP} 2")
    assert told.up is not None
    (landing,) = told.up.placing.landed[0]
    assert landing.alike == 1
    await _done(bench, f"{APP} 2")
    after = await _settled(bench, 2)
    assert landing.node in after
    assert landing.node not in nodes


async def test_who_is_ended_for_it_is_named(bench: Bench) -> None:
    await bench.create(a_priority_class(f"high-{bench.namespace}", 100_000), a_node("gpu-1", 2))
    await bench.create(a_pod("low", 2))
    await bench.running("low")
    await bench.create(a_deployment(APP, 2, 0, priorityClassName=f"high-{bench.namespace}"))
    told = await _previewed(bench, f"{APP} 1")
    assert told.up is not None
    assert [pod.name for pod in told.up.placing.evicted] == ["low"]
    await _done(bench, f"{APP} 1")
    assert await bench.placed(APP) == ("gpu-1",)
    assert not of(await bench.pods(), "low")


async def test_a_quota_lets_in_as_many_as_the_preview_says(bench: Bench) -> None:
    quota = {"metadata": {"name": "team"}, "spec": {"hard": {"requests.nvidia.com/gpu": "5"}}}
    await bench.create({"apiVersion": "v1", "kind": "ResourceQuota", **quota}, a_node("gpu-1"))
    await bench.until("ResourceQuota", lambda found: bool(found[0].get("status", {}).get("hard")))
    await bench.create(a_deployment(APP, 2, 0))
    told = await _previewed(bench, f"{APP} 4")
    assert told.up is not None
    assert (told.up.starts, told.up.refused) == (2, 2)
    await _done(bench, f"{APP} 4")
    assert len(await _settled(bench, 2)) == 2


@pytest.mark.parametrize(
    ("hard", "starts", "refused"),
    [
        pytest.param({"limits.memory": "64Gi"}, 0, 3, id="which no container says"),
        pytest.param({"count/pods": "2"}, 2, 1, id="of pods"),
    ],
)
async def test_a_quota_refuses_as_many_as_the_preview_says(
    hard: dict[str, str], starts: int, refused: int, bench: Bench
) -> None:
    await bench.create(
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": hard}}
    )
    await bench.until("ResourceQuota", lambda found: bool(found[0].get("status", {}).get("hard")))
    await bench.create(a_node("gpu-1"), a_deployment(APP, 2, 0))
    told = await _previewed(bench, f"{APP} 3")
    assert told.up is not None
    assert (told.up.starts, told.up.refused) == (starts, refused)
    await _done(bench, f"{APP} 3")
    assert len(await _settled(bench, starts)) == starts


async def test_a_stateful_set_in_order_waits_as_the_preview_says(bench: Bench) -> None:
    """Its second pod finds no place: none comes after it, and none goes while it should stay."""
    await bench.create(a_node("gpu-1", 2), a_stateful_set(APP, 2, 2))
    assert len(await _settled(bench, 2)) == 1
    more = await _previewed(bench, f"sts/{APP} 4")
    assert more.up is not None
    assert (more.up.refused, more.up.rations[0].kind) == (2, "order")
    await _done(bench, f"sts/{APP} 4")
    await bench.until("StatefulSet", lambda found: found[0]["status"].get("observedGeneration", 0) >= 2)
    assert len(of(await bench.pods(), APP)) == 2
    fewer = await _previewed(bench, f"sts/{APP} 2")
    assert fewer.down is not None
    assert fewer.down.waits_for == f"{APP}-1"


async def test_the_pod_that_goes_is_the_one_that_was_named(bench: Bench) -> None:
    """Where the order is clear: one pod has no node."""
    await bench.create(a_node("gpu-1", 4), a_deployment(APP, 2, 3))
    assert len(await _settled(bench, 3)) == 2
    told = await _previewed(bench, f"{APP} -1")
    assert told.down is not None
    (going,) = told.down.leaving.pods
    assert not going.node
    await _done(bench, f"{APP} -1")
    assert len(await _settled(bench, 2)) == 2
    left = [one for one in of(await bench.pods(), APP) if not one["metadata"].get("deletionTimestamp")]
    assert going.name not in {one["metadata"]["name"] for one in left}


@pytest.mark.parametrize(("asked", "back"), [pytest.param(5, 3, id="above"), pytest.param(1, 2, id="below")])
async def test_the_autoscaler_sets_it_back_as_told(asked: int, back: int, bench: Bench) -> None:
    await bench.create(a_node("gpu-1"), a_deployment(APP, 1, 2))
    await bench.running(APP, 2)
    hpas = f"/apis/autoscaling/v2/namespaces/{bench.namespace}/horizontalpodautoscalers"
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": APP}
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
    }
    spec = {"minReplicas": 2, "maxReplicas": 3, "scaleTargetRef": target, "metrics": [metric]}
    kind = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"}
    await bench.api.request("POST", hpas, {**kind, "metadata": {"name": APP}, "spec": spec})
    told = await _previewed(bench, f"{APP} {asked}")
    assert told.undone is not None
    assert told.undone.back_to == back
    await _done(bench, f"{APP} {asked}")
    assert (await bench.get("Deployment", APP))["spec"]["replicas"] in (asked, back)
    await bench.until("Deployment", lambda found: found[0]["spec"]["replicas"] == back, seconds=HPA_SECONDS)
