"""Advice tried on the embedded cluster: what `/why` marks as tried is followed to the letter, and the pod runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.local.cluster.api import ApiServer
from bot.local.cluster.clock import Clock
from bot.local.cluster.controllers import Controllers
from bot.local.cluster.store import RESOURCES, Store
from tests.cluster.api import Api
from tests.why.applying import making_room, nodes_set_apart, own_spec, rolling_updates
from tests.why.applying.bench import Bench, verified
from tests.why.applying.kubelet import kubelet
from tests.why.applying.scenario import WAITS, Scenario, found, helps
from tests.why.applying.what_if import CASES, Case, agrees

NAMESPACE = "ml"
SCENARIOS = (*nodes_set_apart.SCENARIOS, *own_spec.SCENARIOS, *making_room.SCENARIOS, *rolling_updates.SCENARIOS)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    clock = Clock(speed=100)
    store = Store(clock=clock)
    for name in ("default", NAMESPACE):
        store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": name}})
    server, controllers = ApiServer(store), Controllers(store, clock)
    await server.start()
    controllers.start()
    server.write_kubeconfig(tmp_path / "config")
    try:
        async with Api(server.url, "anybody") as api, kubelet(api, NAMESPACE):
            yield Bench(api, tmp_path / "config", NAMESPACE)
    finally:
        await controllers.stop()
        await server.stop()


TRIED = [
    pytest.param(one, number, id=f"{one.title}: {expected.begins}")
    for one in SCENARIOS
    if not one.real
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
