"""What one scenario is: a cluster in which `glm` waits, and all that `/why glm` says it has tried."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bot.domain.answer import Remedy
from tests.cluster.api import Object
from tests.why.applying.bench import Bench, node_of, of, verified

WAITS = "glm"
LOOKS = re.compile(r"^kubectl (-n \S+ )?(get|edit|describe) |^$")
Act = Callable[[Bench], Awaitable[None]]


@dataclass(frozen=True)
class Expected:
    """One remedy: how its action begins, where `glm` goes then (none named: anywhere), whose pods stay as they are.

    by_hand: what a person does who follows it, where its command only looks. then: what others do after the command.
    """

    begins: str
    to: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    by_hand: Act | None = None
    then: Act | None = None


@dataclass(frozen=True)
class Scenario:
    """`build` returns once `glm` has been turned down. `remedies` are all that are marked as tried, in their order.

    count: how many pods of `glm` have a node then; extra: how many may wait beside them (a rolling update's). real: needs what only the real scheduler knows (spread, volumes).
    """

    title: str
    build: Act
    remedies: tuple[Expected, ...]
    count: int = 1
    extra: int = 0
    real: bool = False


def anew(make: Callable[..., Object], *args: Any, **more: Any) -> Act:
    """`glm` is deleted and made again as told: what a person does with a pod or a Job."""

    async def act(bench: Bench) -> None:
        other = make(WAITS, *args, **more)
        await bench.delete(other["kind"], WAITS)
        await bench.until(other["kind"], lambda left: all(one["metadata"]["name"] != WAITS for one in left))
        await bench.until("Pod", lambda pods: not of(pods, WAITS))
        await bench.create(other)

    return act


async def found(bench: Bench, scenario: Scenario) -> list[Remedy]:
    """What `/why` offers as tried; it must be what the scenario expects, so that none goes untested."""
    offered = verified(await bench.why(WAITS))
    told = [remedy.action for remedy in offered]
    assert len(told) == len(scenario.remedies), told
    assert all(map(str.startswith, told, (one.begins for one in scenario.remedies))), told
    return offered


async def apply(bench: Bench, expected: Expected, remedy: Remedy) -> None:
    if expected.by_hand is not None:
        assert LOOKS.match(remedy.command), f"{remedy.command} can be run as it stands"
        await expected.by_hand(bench)
        return
    assert not LOOKS.match(remedy.command), f"{remedy.action}: `{remedy.command}` changes nothing"
    await bench.shell(remedy.command)
    if expected.then is not None:
        await expected.then(bench)


async def helps(bench: Bench, scenario: Scenario, expected: Expected, remedy: Remedy) -> None:
    """Follow it and see `glm` placed, where it was said, and nobody else harmed."""
    before = _others(await bench.pods())
    await apply(bench, expected, remedy)
    nodes = await bench.placed(WAITS, scenario.count, scenario.extra)
    if expected.to:
        assert set(nodes) & set(expected.to), f"{nodes}, not {expected.to}: {remedy.action}"
    after = _others(await bench.pods())
    harmed = {name for uid, name in before.items() if uid not in after and name.startswith(expected.spared or ("\0",))}
    assert not harmed, f"{remedy.command} ended {harmed}"


def _others(pods: list[Object]) -> dict[str, str]:
    """Bound pods that are not on their way out, by uid."""
    return {
        one["metadata"]["uid"]: str(one["metadata"]["name"])
        for one in pods
        if node_of(one) and not one["metadata"].get("deletionTimestamp")
    }
