"""Volcano: queues compared resource by resource, and gangs by their culprit."""

from typing import Any

import pytest

from bot.domain.node import Condition
from bot.domain.record import Owner
from bot.domain.thing import Thing
from bot.why.stages.volcano import STAGE
from bot.why.volcano_messages import gang, overused, short_resources
from tests.factories import a_node
from tests.why.builders_queues import (
    GPU,
    UNSCHEDULABLE,
    VOLCANO,
    a_thing,
    a_waiting,
    an_event,
    asked,
    found,
    queues_view,
    told,
)

ASKS = {"cpu": "4", GPU: "3", "pods": "1"}
OWNER = Owner("Job", "train", "uid-vcjob")
GANG = (
    "2/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; Pending: 1 Unschedulable, 2 "
    "Schedulable. Origin reason is train-worker-2: 0/4 nodes are unavailable: 4 Insufficient nvidia.com/gpu."
)


def a_group(phase: str = "Pending", asks: dict[str, str] | None = None, members: int = 1, message: str = "") -> Thing:
    told_ = [{"type": "Unschedulable", "status": "True", "reason": "NotEnoughResources", "message": message}]
    spec = {"queue": "q", "minMember": members, "minResources": asks or ASKS}
    status = {"phase": phase, "conditions": told_}
    return a_thing("PodGroup", "job-1", spec=spec, status=status, api_version=VOLCANO)


def a_queue(
    capability: dict[str, str], allocated: dict[str, str] | None = None, state: str = "Open", name: str = "q"
) -> Thing:
    spec = {"capability": capability}
    return a_thing(
        "Queue", name, "", spec=spec, status={"state": state, "allocated": allocated or {}}, api_version=VOLCANO
    )


def of_group(group: Thing, *others: Any, message: str = "queue resource quota insufficient", **read: Any) -> str:
    event = an_event(group, "Unschedulable", message)
    return told(STAGE, asked(queues_view(group, event, *others, **read), group))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            of_group(a_group(), a_queue({"cpu": "5", GPU: "4"})),
            ["volcano.unlisted CAUSE", "does not list `pods`", "3 of 4 GPUs and 4 of 5 CPU fit", '"pods":"100"'],
            id="a capability that does not list pods",
        ),
        pytest.param(
            of_group(a_group(asks={"cpu": "1", "huawei.com/npu": "2"}), a_queue({"cpu": "5"})),
            ["does not list `huawei.com/npu`", "1 of 5 CPU fits"],
            id="a capability that does not list the device",
        ),
        pytest.param(
            of_group(a_group(asks={GPU: "8"}), a_queue({GPU: "4"})),
            ["volcano.too-big CAUSE", "asks for 8 GPUs", "more than 4"],
            id="more than the queue may ever use",
        ),
        pytest.param(
            of_group(a_group(asks={GPU: "3"}), a_queue({GPU: "4"}, {GPU: "2"})),
            ["volcano.queue-full CAUSE", "2 of 4 GPUs left", "asks for 3 GPUs"],
            id="more than is left",
        ),
        pytest.param(
            of_group(a_group(), a_queue({}, state="Closed")),
            ["volcano.queue-closed CAUSE", "is Closed"],
            id="a closed queue",
        ),
        pytest.param(
            of_group(a_group(), a_queue({}, name="q-1")),
            ["volcano.no-queue CAUSE", "`q`, which does not exist", "(`q-1` does)"],
            id="a queue that does not exist",
        ),
        pytest.param(
            of_group(a_group(), a_queue({}), message="resource in cluster is overused: overused cpu"),
            ["volcano.overused CAUSE", "overused cpu"],
            id="the cluster has promised too much",
        ),
        pytest.param(
            of_group(a_group(), a_queue({}), message="words of another release"),
            ["volcano.not-let-in CAUSE", "Pending"],
            id="unknown words",
        ),
    ],
)
def test_a_group_that_is_not_let_in(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


def test_memory_that_is_not_listed_is_not_blamed() -> None:
    text = of_group(a_group(asks={"memory": "4Gi", GPU: "1"}), a_queue({GPU: "4"}))
    assert "volcano.unlisted" not in text


def test_a_member_that_could_be_placed_waits_for_the_culprit() -> None:
    fine = a_waiting("a", owner=OWNER, condition=Condition("PodScheduled", "False", "Schedulable", "waits"))
    culprit = a_waiting("b", owner=OWNER, condition=UNSCHEDULABLE)
    group = a_group("Inqueue", members=2)
    with_owner = type(group)(**{n: getattr(group, n) for n in group.__struct_fields__} | {"owner": OWNER})
    text = told(STAGE, asked(queues_view(with_owner, a_queue({}), fine, culprit), fine))
    for word in ("volcano.gang CAUSE", "2 pods have a place: `b` has none", "volcano.culprit ROOT", "it has none"):
        assert word in text


def test_a_group_that_runs_is_left_alone() -> None:
    group = a_group("Running")
    assert not found(STAGE, asked(queues_view(group, a_queue({GPU: "1"})), group))


def test_unread_queues_are_unknown() -> None:
    group = a_group()
    (only,) = found(STAGE, asked(queues_view(group, unread=("volcanoqueues",)), group))
    assert any("list volcanoqueues" in one for one in only.unknown)


@pytest.mark.parametrize("shape", [7, "x", ["x"], {"minResources": 3, "queue": 4, "capability": [1]}, None])
def test_any_shape_is_survived(shape: object) -> None:
    group = a_thing("PodGroup", "job-1", spec=shape, status=shape, api_version=VOLCANO)
    queue = a_thing("Queue", "default", "", spec=shape, status=shape, api_version=VOLCANO)
    assert isinstance(found(STAGE, asked(queues_view(group, queue), group)), list)


def test_a_gangs_message_is_taken_apart() -> None:
    said = gang(GANG)
    assert said is not None
    assert (said.unschedulable, said.total, said.culprit) == (2, 3, "train-worker-2")
    assert said.states["Schedulable"] == 2
    assert said.why.startswith("0/4 nodes are unavailable")
    assert gang("something else") is None
    assert short_resources("queue resource quota insufficient: insufficient cpu, insufficient nvidia.com/gpu") == (
        "cpu",
        GPU,
    )
    assert overused("nothing of the sort") == ""


def test_a_group_of_which_members_are_missing() -> None:
    one = a_waiting("a", owner=OWNER)
    group = a_group("Inqueue", members=3)
    fields = {name: getattr(group, name) for name in group.__struct_fields__}
    view = queues_view(type(group)(**(fields | {"owner": OWNER})), a_queue({}), one)
    assert "needs 3 pods and has 1" in told(STAGE, asked(view, one))


def test_what_was_let_in_and_does_not_run_is_listed() -> None:
    inside = a_thing(
        "PodGroup",
        "bulk",
        spec={"queue": "b", "minResources": {GPU: "8", "cpu": "4"}},
        status={"phase": "Inqueue"},
        api_version=VOLCANO,
    )
    text = of_group(a_group(), inside, a_queue({}), message="resource in cluster is overused: overused nvidia.com/gpu")
    assert "volcano.overused CAUSE" in text
    assert "llm/bulk: 8 GPUs, Inqueue in `b`" in text
    assert "why podgroup/llm/bulk" in text


def members(reason: str) -> list[Any]:
    """Three that could be placed, and the last with that reason."""
    last = Condition("PodScheduled", "False", reason, "0/3 nodes are unavailable: 3 node(s) resource fit failed.")
    could = Condition("PodScheduled", "False", "Schedulable", "can possibly be assigned to gpu-0")
    return [
        a_waiting(f"train-worker-{number}", gpus=8, owner=OWNER, condition=last if number == 2 else could)
        for number in range(3)
    ]


def of_pod(pods: list[Any], about: int, *nodes: Any) -> str:
    thing = a_group("Inqueue", members=3, message=GANG)
    fields = {name: getattr(thing, name) for name in thing.__struct_fields__}
    group = type(thing)(**(fields | {"owner": OWNER}))
    return told(STAGE, asked(queues_view(group, a_queue({}), *pods, *nodes), pods[about]))


OPEN = [a_node(f"gpu-{number}", gpus=8) for number in range(2)]
CORDONED = a_node("gpu-2", gpus=8, unschedulable=True)


def test_the_member_to_blame_fits_by_itself_and_not_beside_the_others() -> None:
    text = of_pod(members("Unschedulable"), 2, *OPEN, CORDONED)
    assert "volcano.beside-the-others CAUSE" in text
    assert "of which 3 pods start at once" in text
    assert "groups.no-room ROOT" in text
    assert "kubectl uncordon gpu-2" in text


def test_an_innocent_member_is_told_of_the_closed_node_too() -> None:
    text = of_pod(members("Unschedulable"), 0, *OPEN, CORDONED)
    assert "volcano.gang CAUSE" in text
    assert "room for 2: gpu-2 has room and is closed to `train-worker-2`" in text


def test_a_member_that_fits_nowhere_by_itself_is_left_to_placement() -> None:
    assert "volcano.beside-the-others" not in of_pod(members("Unschedulable"), 2, a_node("gpu-0", gpus=4))
