"""A kind may wait before its first step, as for requests in flight; what it planned must still hold then."""

from dataclasses import replace
from datetime import datetime

from bot.changes.kinds import cordon
from bot.domain.change import ChangeState, Plan
from bot.domain.evidence import Evidence
from bot.domain.view import View
from tests.access.building import ANA
from tests.acting.building import CLUSTER, World, plan_of
from tests.acting.clusters import a_busy_node

WAIT_SECONDS = 10.0


def _waits(plan: Plan, view: View, now: datetime, since: datetime, evidence: Evidence) -> str:
    del plan, view, evidence
    return "2 requests are in flight" if (now - since).total_seconds() < WAIT_SECONDS else ""


async def _begun(world: World) -> None:
    world.kinds = {"cordon": replace(cordon.CHANGE, hold=_waits)}
    service = world.service()
    await service.propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()


async def test_it_is_begun_when_there_is_nothing_to_wait_for() -> None:
    world = a_busy_node()
    await _begun(world)
    assert world.change().state is ChangeState.APPLIED
    assert sum(world.clock.slept) >= WAIT_SECONDS
    assert any("2 requests are in flight" in post.text for post in world.posts.history), "people see what it waits for"


async def test_what_changed_while_it_waited_is_not_applied() -> None:
    world = a_busy_node()
    world.clock.wakes = lambda: world.cluster.view.take("nodes", "gpu-1")
    await _begun(world)
    assert world.change().state is ChangeState.OUTDATED
    assert world.change().told == "It no longer holds: No node is called “gpu-1” any more. Nothing was done."
    assert world.cluster.made == []
