"""Gangs put on a copy of the cluster, one member after the other."""

from typing import Any

import pytest

from bot.domain.node import Taint
from bot.why.gang_places import closed_nodes, no_room, places
from tests.factories import a_node, a_pod
from tests.why.builders_queues import a_waiting, asked, queues_view

TAINT = (Taint("maintenance", "disk", "NoSchedule"),)


def of(members: list[Any], *nodes: Any, unread: tuple[str, ...] = ()) -> Any:
    case = asked(queues_view(*members, *nodes, unread=unread), members[0])
    return case, places(case, members)


FOUR = [a_waiting(f"m-{number}", gpus=8) for number in range(4)]
THREE = [a_node(f"gpu-{number}", gpus=8) for number in range(3)]


def test_three_of_four_have_a_place_and_a_tainted_node_would_be_the_fourth() -> None:
    case, found = of(FOUR, *THREE, a_node("gpu-9", gpus=8, taints=TAINT))
    assert (found.placed, found.members) == (3, 4)
    told = no_room(case, found, "g", 4)
    assert "room for 3: gpu-9 has room and is closed to `m-3`" in told.sentence
    assert "maintenance=disk" in told.sentence
    assert [one.action.split()[0] for one in told.remedies] == ["Tolerate"]


def test_members_that_have_a_node_count_and_the_closed_node_is_told_alone() -> None:
    placed = a_pod("m-0", node="gpu-0", gpus=8)
    case, found = of([FOUR[1], placed], THREE[0], a_node("gpu-9", gpus=8, unschedulable=True))
    assert (found.placed, found.members) == (1, 2)
    told = closed_nodes(case, found)
    assert told.sentence.startswith("gpu-9 has room and is closed to `m-1` (cordoned")
    assert told.useless == ()


def test_small_members_are_packed_and_leave_whole_nodes_for_large_ones() -> None:
    mixed = [a_waiting("s-1", gpus=1), a_waiting("s-2", gpus=1), a_waiting("l-1", gpus=8)]
    assert of(mixed, *THREE[:2])[1] is None


def test_nodes_that_are_only_full_are_not_called_closed() -> None:
    _, found = of(FOUR, *THREE)
    assert found.kept_away == ()


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(of(FOUR[:3], *THREE)[1], id="all have a place"),
        pytest.param(of(FOUR, *THREE, unread=("nodes",))[1], id="nodes are not known"),
        pytest.param(of([a_waiting(f"m-{number}") for number in range(30)], *THREE)[1], id="too many to try"),
        pytest.param(of([a_pod("m-0", node="gpu-0")], *THREE)[1], id="none waits"),
    ],
)
def test_nothing_is_said(found: Any) -> None:
    assert found is None
