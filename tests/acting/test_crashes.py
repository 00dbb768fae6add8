"""Killed between any two calls: the change is done once or not at all, and its record says which."""

import contextlib

import pytest

from bot.acting.changing.service import Changing
from bot.domain.change import ChangeState
from tests.access.building import ANA, BEN, CHEN
from tests.acting.building import CLUSTER, KilledError, Killer, World, plan_of
from tests.acting.clusters import a_busy_node

DRAINED = ["cordon gpu-1", "evict llm/big-x", "evict llm/glm-0", "evict llm/glm-1"]
LONGEST = 120  # calls of the whole way, both halves of each


async def _to_the_end(world: World, service: Changing) -> None:
    """Ana asks, Ben and Chen agree."""
    await service.propose(plan_of(world, "drain", node="gpu-1"), world.people[ANA], CLUSTER)
    for who in (BEN, CHEN):
        number = max(world.store.changes)
        await service.click(world.change(number).nonce, "yes", world.people[who])
    await service.settled()


async def _lived(world: World, killer: Killer) -> bool:
    """Whether it lived to the end."""
    service = world.service(killer)
    with contextlib.suppress(KilledError):
        await _to_the_end(world, service)
    await service.stop()
    return killer.calls < killer.at


async def _taken_up(world: World) -> None:
    service = world.service()
    for _ in range(3):
        await service.tick()
        await service.settled()


async def test_a_drain_killed_at_any_call_is_done_once_or_not_at_all() -> None:
    ends: set[ChangeState] = set()
    for at in range(1, LONGEST):
        world = a_busy_node()
        lived = await _lived(world, Killer(at))
        await _taken_up(world)
        made = world.cluster.made
        assert len(made) == len(set(made)), f"killed at call {at}: nothing twice"
        if world.store.changes:
            change = world.change()
            ends.add(change.state)
            if change.state is ChangeState.APPLIED:
                assert made == DRAINED, f"killed at call {at}: all of it, in order"
                assert change.done == len(DRAINED)
            else:
                assert change.state is ChangeState.PROPOSED, f"killed at call {at}: {change.state}, {change.told}"
                assert made == [], f"killed at call {at}: nothing without approval"
        if lived:
            break
    else:
        pytest.fail("the way is longer than was tried")
    assert ends == {ChangeState.PROPOSED, ChangeState.APPLIED}


async def test_an_undo_killed_at_any_call_is_done_once() -> None:
    for at in range(1, LONGEST):
        world = a_busy_node()
        await _to_the_end(world, world.service())
        killer = Killer(at)
        service = world.service(killer)
        with contextlib.suppress(KilledError):
            await service.click(world.change().nonce, "undo", world.people[ANA])
            await service.settled()
        await service.stop()
        await _taken_up(world)
        undone = world.cluster.made[len(DRAINED) :]
        if world.change().state is ChangeState.UNDONE:
            assert undone == ["uncordon gpu-1"], f"killed at call {at}"
        else:
            assert world.change().state is ChangeState.APPLIED, f"killed at call {at}: {world.change().told}"
            assert undone == [], f"killed at call {at}"
        if killer.calls < killer.at:
            break
    else:
        pytest.fail("the way is longer than was tried")


async def test_a_verification_killed_at_any_call_leaves_no_pod() -> None:
    for at in range(1, LONGEST):
        world = a_busy_node()
        killer = Killer(at)
        service = world.service(killer)
        with contextlib.suppress(KilledError):
            arguments = {"node": "gpu-2", "pod": "gpu-verify-x", "namespace": "default"}
            await service.propose(plan_of(world, "gpu-verify", **arguments), world.people[ANA], CLUSTER)
            await service.click(world.change().nonce, "yes", world.people[ANA])
            await service.settled()
        await service.stop()
        await _taken_up(world)
        assert ("Pod", "default", "gpu-verify-x") not in world.cluster.objects, f"killed at call {at}"
        assert world.cluster.made.count("create pod default/gpu-verify-x") <= 1, f"killed at call {at}"
        if killer.calls < killer.at:
            break
    else:
        pytest.fail("the way is longer than was tried")
