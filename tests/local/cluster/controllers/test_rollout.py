import pytest

from bot.local.cluster.controllers.rollout import Limits, Size, grow, limits, shrink


@pytest.mark.parametrize(
    ("rolling", "replicas", "expected"),
    [
        pytest.param({}, 4, Limits(1, 1), id="a quarter of four"),
        pytest.param({}, 5, Limits(2, 1), id="surge rounds up, unavailable down"),
        pytest.param({}, 1, Limits(1, 0), id="one replica is replaced by growing first"),
        pytest.param({"maxSurge": 0, "maxUnavailable": 0}, 4, Limits(0, 1), id="both nought would stand still"),
        pytest.param({"maxSurge": 0, "maxUnavailable": "50%"}, 5, Limits(0, 2), id="half of five"),
        pytest.param({"maxSurge": "100%", "maxUnavailable": 0}, 3, Limits(3, 0), id="all at once beside the old"),
    ],
)
def test_limits(rolling, replicas, expected):
    assert limits({"strategy": {"rollingUpdate": rolling}}, replicas) == expected


@pytest.mark.parametrize(
    ("new", "olds", "limit", "expected"),
    [
        pytest.param(Size("n", 0, 0), [], Limits(1, 1), 4, id="nothing old: all at once"),
        pytest.param(Size("n", 0, 0), [Size("o", 4, 4)], Limits(1, 1), 1, id="only the surge"),
        pytest.param(Size("n", 1, 0), [Size("o", 4, 4)], Limits(1, 1), 1, id="no room yet"),
        pytest.param(Size("n", 1, 0), [Size("o", 2, 2)], Limits(1, 1), 3, id="what the old ones gave up"),
        pytest.param(Size("n", 6, 6), [], Limits(1, 1), 4, id="scaled down"),
    ],
)
def test_the_new_grows(new, olds, limit, expected):
    assert grow(new, olds, 4, limit) == expected


@pytest.mark.parametrize(
    ("new", "olds", "limit", "expected"),
    [
        pytest.param(Size("n", 1, 0), [Size("o", 4, 4)], Limits(1, 1), {"o": 3}, id="one may be missing"),
        pytest.param(Size("n", 1, 0), [Size("o", 4, 4)], Limits(1, 0), {"o": 4}, id="none may be missing"),
        pytest.param(Size("n", 1, 1), [Size("o", 4, 4)], Limits(1, 0), {"o": 3}, id="one new is available"),
        pytest.param(Size("n", 1, 0), [Size("o", 4, 2)], Limits(1, 1), {"o": 3}, id="a broken one goes first"),
        pytest.param(
            Size("n", 2, 2),
            [Size("a", 1, 1), Size("b", 2, 2)],
            Limits(1, 1),
            {"a": 0, "b": 1},
            id="the oldest go first",
        ),
        pytest.param(Size("n", 4, 4), [Size("o", 1, 1)], Limits(1, 1), {"o": 0}, id="the rest"),
    ],
)
def test_the_old_shrink(new, olds, limit, expected):
    assert shrink(new, olds, 4, limit) == expected
