"""How much may be changed within an hour."""

from typing import Any

import pytest

from bot.access.breaker import tripped
from bot.access.rules import Limits
from bot.domain.change import Change, ChangeState, Size
from tests.access.building import NOW, a_change, a_plan, minutes

LIMITS = Limits(nodes=4, replicas=10, gpus=64)


def done(ago: float = 10, state: ChangeState = ChangeState.APPLIED, **size: Any) -> Change:
    return a_change(state=state, plan=a_plan(size=size), applied_at=minutes(-ago), requested_at=minutes(-ago))


@pytest.mark.parametrize(
    ("size", "recent", "said"),
    [
        pytest.param({"nodes": 4}, [], "", id="as much as is allowed"),
        pytest.param({"nodes": 5}, [], "at most 4 may be changed", id="more than ever"),
        pytest.param({"nodes": 1}, [done(nodes=3)], "", id="up to the limit"),
        pytest.param({"nodes": 2}, [done(nodes=3)], "room again at 12:50", id="beyond it"),
        pytest.param({"nodes": 2}, [done(60, nodes=3)], "", id="an hour ago is over"),
        pytest.param({"nodes": 2}, [done(59, nodes=3)], "room again at 12:01", id="almost an hour ago is not"),
        pytest.param({"nodes": 3}, [done(10, nodes=2), done(30, nodes=1), done(50, nodes=1)], "12:50", id="when enough is over"),
        pytest.param({"gpus": 8}, [done(nodes=4)], "", id="nodes do not count as GPUs"),
        pytest.param({"gpus": 32}, [done(gpus=40)], "40 GPUs were changed", id="GPUs"),
        pytest.param({"replicas": 1}, [done(replicas=10)], "10 replicas were changed", id="replicas"),
        pytest.param({}, [done(nodes=400)], "", id="what touches none of them"),
        pytest.param({"nodes": 2}, [done(state=ChangeState.UNDONE, nodes=3)], "room", id="what was undone counts"),
        pytest.param({"nodes": 2}, [a_change(plan=a_plan(size={"nodes": 3}))], "", id="what was only asked does not"),
        pytest.param({"nodes": 2}, [done(state=ChangeState.REFUSED, nodes=3)], "", id="what was refused does not"),
        pytest.param({"nodes": 2}, [done(state=ChangeState.FAILED, nodes=3)], "", id="what failed at once does not"),
        pytest.param(
            {"nodes": 2}, [a_change(state=ChangeState.FAILED, done=1, plan=a_plan(size={"nodes": 3}))], "room",
            id="what failed half-way does",
        ),
        pytest.param(
            {"nodes": 2},
            [a_change(state=ChangeState.APPROVED, requested_at=minutes(-600), plan=a_plan(size={"nodes": 3}))],
            "room again at 13:00",
            id="what is about to be done counts, however long ago it was asked for",
        ),
        pytest.param({"nodes": 10**30}, [], "at most 4", id="a huge number"),
    ],
)  # fmt: skip
def test_the_breaker(size: dict[str, Any], recent: list[Change], said: str) -> None:
    told = tripped(LIMITS, Size(**size), recent, NOW)
    assert said in told
    assert bool(said) is bool(told)
