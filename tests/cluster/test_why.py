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
from tests.why.applying.bench import Bench
from tests.why.applying.kubelet import kubelet
from tests.why.applying.scenario import Scenario, found, helps
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


@pytest.mark.parametrize("case", [pytest.param(one, id=one.title) for one in CASES])
async def test_what_was_tried_on_a_copy_comes_out_the_same(case: Case, bench: Bench) -> None:
    await agrees(bench, case)
