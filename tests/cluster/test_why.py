"""`/why` against the real scheduler and the real controllers: its advice is followed to the letter, and the pod runs."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from tests.cluster.api import Api, ApiError
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.sandbox import sandbox
from tests.why.applying import making_room, nodes_set_apart, own_spec, rolling_updates, storage
from tests.why.applying.bench import Bench, message_of, verified
from tests.why.applying.kubelet import STAYS, kubelet
from tests.why.applying.own_spec import HIGH
from tests.why.applying.scenario import WAITS, Scenario, found, helps
from tests.why.applying.things import a_deployment, a_node, a_pod, a_priority_class
from tests.why.applying.what_if import CASES, Case, agrees

MAKERS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
SCENARIOS = (
    *nodes_set_apart.SCENARIOS,
    *own_spec.SCENARIOS,
    *making_room.SCENARIOS,
    *rolling_updates.SCENARIOS,
    *storage.SCENARIOS,
)


@pytest.fixture
async def bench(control_plane: ControlPlane, api: Api) -> AsyncIterator[Bench]:
    namespace = f"why-{uuid.uuid4().hex[:8]}"
    async with sandbox(api, namespace), kubelet(api, namespace):
        made = Bench(api, control_plane.kubeconfig, namespace)
        yield made
        for kind in MAKERS:  # else they make new pods, which would be in the next test's way
            await api.request("DELETE", made.path(kind), {"propagationPolicy": "Background"})
        await api.request("DELETE", made.path("Pod"), {"gracePeriodSeconds": 0})
        await made.until("Pod", lambda pods: not pods)
        for kind, name in made.made:
            with suppress(ApiError):
                await made.delete(kind, name)


TRIED = [
    pytest.param(one, number, id=f"{one.title}: {expected.begins}")
    for one in SCENARIOS
    for number, expected in enumerate(one.remedies)
]


@pytest.mark.parametrize(("scenario", "number"), TRIED)
async def test_what_is_said_to_have_been_tried_helps(scenario: Scenario, number: int, bench: Bench) -> None:
    await scenario.build(bench)
    offered = await found(bench, scenario)
    await helps(bench, scenario, scenario.remedies[number], offered[number])


async def test_room_that_goes_to_somebody_else_is_not_said_to_help(bench: Bench) -> None:
    await making_room.rival(1_000)(bench)
    offered = [remedy for finding in (await bench.why(WAITS)).findings for remedy in finding.remedies]
    ending = next(remedy for remedy in offered if remedy.action.startswith("End "))
    assert not ending.verified
    assert f"{bench.namespace}/rival waits too and comes first" in ending.action
    await bench.shell(ending.command)
    await bench.placed("rival")
    await bench.refused(WAITS)


async def test_somebody_of_the_same_priority_is_named(bench: Bench) -> None:
    await making_room.rival(0)(bench)
    ending = verified(await bench.why(WAITS))[0]
    assert f"{bench.namespace}/rival waits too and may get the place first" in ending.cost


@pytest.mark.parametrize("case", [pytest.param(one, id=one.title) for one in CASES])
async def test_what_was_tried_on_a_copy_comes_out_the_same(case: Case, bench: Bench) -> None:
    await agrees(bench, case)


# ---- what only a real control plane says -----------------------------------------------------------------------------


async def _quota(bench: Bench) -> None:
    quota = {"metadata": {"name": "team"}, "spec": {"hard": {"requests.nvidia.com/gpu": "2"}}}
    await bench.create({"apiVersion": "v1", "kind": "ResourceQuota", **quota}, a_node("gpu-1"))
    await bench.until("ResourceQuota", lambda found: bool(found[0].get("status", {}).get("hard")))
    await bench.create(a_deployment(WAITS, 2, 3))
    await bench.running(WAITS, 1)
    path = f"/api/v1/namespaces/{bench.namespace}/events"
    await bench.api.until(path, lambda found: any(one["reason"] == "FailedCreate" for one in found.values()))


async def test_a_quota_raised_by_what_is_missing_has_room(bench: Bench) -> None:
    await _quota(bench)
    found = await bench.why(WAITS)
    assert found.id == "admission.quota"
    assert "2 of 2 `requests.nvidia.com/gpu` are used" in found.sentence
    raised = next(one for finding in found.findings for one in finding.remedies if "Raise the quota" in one.action)
    await bench.shell(raised.command)
    retry = f"kubectl -n {bench.namespace} annotate replicaset -l app={WAITS} retry=now"
    await bench.shell(retry)  # else the controller comes back to it only after a while
    await bench.placed(WAITS, 3)


async def test_while_pods_are_evicted_for_it_waiting_is_right(bench: Bench) -> None:
    await bench.create(a_priority_class(HIGH, 100_000), a_node("gpu-1", gpus=2))
    await bench.create(a_pod("low", 2, annotations={STAYS: "yes"}, terminationGracePeriodSeconds=3600))
    await bench.running("low")
    await bench.create(a_pod(WAITS, 2, priorityClassName=HIGH))
    await bench.until("Pod", lambda pods: any(one.get("status", {}).get("nominatedNodeName") for one in pods))
    found = await bench.why(WAITS)
    assert found.first is not None
    assert found.id == "scheduler.preempting"
    assert f"making room for it on gpu-1: `{bench.namespace}/low`" in found.sentence
    assert "that pod is gone" in found.first.until
    assert not verified(found), "what the scheduler does already needs no help"
    await bench.delete("Pod", "low", 0)
    assert await bench.placed(WAITS) == ("gpu-1",)


async def test_a_gate_is_told_and_nothing_is_said_to_have_been_tried(bench: Bench) -> None:
    await bench.create(a_node("gpu-1"), a_pod(WAITS, 1, schedulingGates=[{"name": "quota.example.com/wait"}]))
    await bench.until("Pod", lambda pods: bool(message_of(pods[0]) or pods[0]["status"].get("conditions")))
    found = await bench.why(WAITS)
    assert found.id == "gates.foreign"
    assert "`quota.example.com/wait`" in found.sentence
    assert not verified(found)
    await bench.shell(f"kubectl -n {bench.namespace} patch pod {WAITS} --type=json -p '{UNGATE}'")
    await bench.placed(WAITS)


UNGATE = '[{"op":"remove","path":"/spec/schedulingGates"}]'
VERDICTS = {
    "a cordoned node": ("resources.used-up", "8 more are free where something else keeps it away (gpu-2)"),
    "a taint, and a deployment without tolerations": ("taint", "gpu-1 has 8 GPUs free but carries the taint"),
    "a deployment that selects a product that is not there": ("labels.none", "`NVIDIA-H200`"),
    "a deployment that asks for slices by another name": ("resources.not-offered", "no node offers"),
    "a deployment that asks for more than a node has": ("resources.too-large", "the largest node has 6 (gpu-1)"),
    "a lone pod holds them": ("resources.used-up", "it needs 8 GPUs and none is free on gpu-1"),
    "a spread that counts the control plane": ("spread.uneven", "master-1"),
    "a volume in a zone without GPUs": ("volume", "b"),
    "the only pod of a new version waits for the old one": ("rollout.no-room", "may not stop"),
}


@pytest.mark.parametrize("scenario", [pytest.param(one, id=one.title) for one in SCENARIOS if one.title in VERDICTS])
async def test_the_verdict_names_the_cause(scenario: Scenario, bench: Bench) -> None:
    await scenario.build(bench)
    found = await bench.why(WAITS)
    identifier, words = VERDICTS[scenario.title]
    assert (found.id, words in found.sentence) == (identifier, True), found.sentence
