"""By the clock: proposals lapse, temporary changes are announced, undone once, or asked about."""

from dataclasses import replace
from datetime import timedelta

import msgspec

from bot.changes.kind import Ask
from bot.changes.kinds import cordon
from bot.domain.change import ChangeState, Plan
from tests.access.building import ANA, NOW
from tests.acting.building import CLUSTER, World, plan_of
from tests.acting.clusters import a_busy_node

HOUR = timedelta(hours=1)


def _for_an_hour(ask: Ask) -> Plan:
    return msgspec.structs.replace(cordon.plan(ask), ends_at=NOW + HOUR)


async def _cordoned_for_an_hour() -> World:
    world = a_busy_node()
    world.kinds = {"cordon": replace(cordon.CHANGE, plan=_for_an_hour)}
    service = world.service()
    await service.propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()
    assert world.change().state is ChangeState.APPLIED
    return world


async def _tick(world: World, after: timedelta) -> None:
    """By a bot that was started since."""
    world.clock.time = NOW + after
    service = world.service()
    for _ in range(2):
        await service.tick()
        await service.settled()


async def test_a_proposal_lapses() -> None:
    world = a_busy_node()
    await world.service().propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    await _tick(world, timedelta(minutes=29))
    assert world.change().state is ChangeState.PROPOSED
    await _tick(world, timedelta(minutes=30))
    assert world.change().state is ChangeState.EXPIRED
    assert world.cluster.made == []


async def test_nothing_happens_before_its_time_but_a_word_in_the_thread() -> None:
    world = await _cordoned_for_an_hour()
    await _tick(world, timedelta(minutes=49))
    assert [key for key in world.posts.standing if "soon" in key] == []
    await _tick(world, timedelta(minutes=51))
    await _tick(world, timedelta(minutes=52))
    [post] = [post for post in world.posts.history if "soon" in post.key]
    assert "At 13:00 UTC change 1 is undone: uncordon gpu-1." in post.text
    assert world.cluster.made == ["cordon gpu-1"]


async def test_it_is_undone_once_when_its_time_is_over() -> None:
    world = await _cordoned_for_an_hour()
    await _tick(world, HOUR)
    await _tick(world, 2 * HOUR)
    assert world.change().state is ChangeState.UNDONE
    assert world.cluster.made == ["cordon gpu-1", "uncordon gpu-1"]


async def test_what_somebody_undid_before_is_not_done_again() -> None:
    world = await _cordoned_for_an_hour()
    world.cluster.objects[("Node", "", "gpu-1")]["spec"].pop("unschedulable")
    await _tick(world, HOUR)
    assert world.change().state is ChangeState.UNDONE
    assert world.cluster.made == ["cordon gpu-1"]


async def test_it_asks_instead_where_somebody_changed_the_object() -> None:
    world = await _cordoned_for_an_hour()
    world.cluster.objects[("Node", "", "gpu-1")]["metadata"]["uid"] = "another"
    await _tick(world, HOUR)
    await _tick(world, 2 * HOUR)
    change = world.change()
    assert change.state is ChangeState.APPLIED
    assert change.undo_at is None
    assert "somebody has changed node/gpu-1 in the meantime, so nothing was undone" in change.told
    assert "by hand: `kubectl uncordon gpu-1`" in change.told
    assert "change/test/1/asks" in world.posts.standing
    assert world.cluster.made == ["cordon gpu-1"]
