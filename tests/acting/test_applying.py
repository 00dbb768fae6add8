"""Steps against an API server that refuses, answers late or not at all."""

from collections.abc import Callable

import pytest

from bot.domain.change import ChangeState, Step
from bot.domain.errors import ClusterError
from bot.domain.writing import Refusal, WriteRefusedError, WriteUnknownError
from tests.access.building import ANA, BEN, CHEN
from tests.acting.building import CLUSTER, World, plan_of
from tests.acting.clusters import a_busy_node


async def _approved(world: World) -> None:
    service = world.service()
    await service.propose(plan_of(world, "drain", node="gpu-1"), world.people[ANA], CLUSTER)
    for who in (BEN, CHEN):
        await service.click(world.change().nonce, "yes", world.people[who])
    await service.settled()


def first_times(number: int, error: Callable[[], Exception], only: str = "evict llm/glm-0") -> Callable[[Step], None]:
    """Raises so many times at that step, then lets it through."""
    left = [number]

    def trouble(step: Step) -> None:
        if step.says == only and left[0]:
            left[0] -= 1
            raise error()

    return trouble


def a_budget() -> WriteRefusedError:
    return WriteRefusedError(
        "the disruption budget llm/glm forbids it now", refusal=Refusal.DISRUPTION, status=429, retry_after_seconds=10
    )


async def test_an_eviction_that_a_budget_forbids_is_tried_again_when_it_says() -> None:
    world = a_busy_node()
    world.cluster.troubles = first_times(3, a_budget)
    await _approved(world)
    assert world.change().state is ChangeState.APPLIED
    assert world.clock.slept.count(10) == 3


async def test_a_budget_that_never_allows_it_ends_the_change_with_what_was_done() -> None:
    world = a_busy_node()
    world.cluster.troubles = first_times(10_000, a_budget)
    await _approved(world)
    change = world.change()
    assert change.state is ChangeState.FAILED
    assert change.told == (
        "2 of 4 steps are done. Evict llm/glm-0 did not come through, it was not done: the disruption budget llm/glm "
        "forbids it now"
    )
    assert world.cluster.made == ["cordon gpu-1", "evict llm/big-x"]


async def test_what_failed_half_way_can_be_undone() -> None:
    world = a_busy_node()
    world.cluster.troubles = first_times(1, lambda: WriteRefusedError("no", refusal=Refusal.FORBIDDEN, status=403))
    await _approved(world)
    assert world.change().state is ChangeState.FAILED
    assert "was refused, nothing was changed by it: no" in world.change().told
    service = world.service()
    await service.click(world.change().nonce, "undo", world.people[ANA])
    await service.settled()
    assert world.change().state is ChangeState.UNDONE
    assert world.cluster.made[-1] == "uncordon gpu-1"


async def test_a_call_without_an_answer_that_was_done_is_not_made_again() -> None:
    world = a_busy_node()

    def done_but_silent(step: Step) -> None:
        if step.says == "evict llm/glm-0":
            raise WriteUnknownError("no answer within 10 s")

    world.cluster.after = done_but_silent
    await _approved(world)
    assert world.change().state is ChangeState.APPLIED
    assert world.cluster.made.count("evict llm/glm-0") == 1


async def test_a_call_without_an_answer_that_was_not_done_is_made_again() -> None:
    world = a_busy_node()
    world.cluster.troubles = first_times(2, lambda: WriteUnknownError("no answer within 10 s"))
    await _approved(world)
    assert world.change().state is ChangeState.APPLIED
    assert world.cluster.made.count("evict llm/glm-0") == 1


async def test_an_api_server_that_is_gone_for_a_minute_is_waited_for() -> None:
    world = a_busy_node()
    world.cluster.troubles = first_times(12, lambda: ClusterError("connection refused", retryable=True), "cordon gpu-1")
    await _approved(world)
    assert world.change().state is ChangeState.APPLIED


async def test_a_pod_that_went_by_itself_counts_as_evicted() -> None:
    world = a_busy_node()

    def gone(step: Step) -> None:
        if step.says == "cordon gpu-1":
            world.cluster.objects.pop(("Pod", "llm", "glm-0"))
            world.cluster.view.take("pods", "llm/glm-0")

    world.cluster.after = gone
    await _approved(world)
    assert world.change().state is ChangeState.APPLIED
    assert "evict llm/glm-0" not in world.cluster.made


async def test_an_object_that_was_replaced_is_left_alone() -> None:
    world = a_busy_node()

    def replaced(step: Step) -> None:
        if step.says == "cordon gpu-1":
            world.cluster.objects[("Pod", "llm", "glm-0")]["metadata"]["uid"] = "p-new"

    world.cluster.after = replaced
    await _approved(world)
    assert "evict llm/glm-0" not in world.cluster.made
    assert ("Pod", "llm", "glm-0") in world.cluster.objects


async def test_an_approved_change_that_nobody_began_in_time_lapses() -> None:
    world = a_busy_node()
    service = world.service()
    await service.propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    change = world.change()
    moved = await world.store.move(
        1, change.state, ChangeState.APPROVED, now=world.clock(), actor=ANA, nonce=change.nonce
    )
    assert moved.state is ChangeState.APPROVED
    await world.clock.sleep(3600)
    later = world.service()
    await later.tick()
    await later.settled()
    assert world.change().state is ChangeState.EXPIRED
    assert world.cluster.made == []


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        pytest.param(True, "somebody else has changed", id="cordoned by others in between is not ours"),
        pytest.param(None, "", id="left as it was"),
    ],
)
async def test_a_crash_before_a_step_looks_whether_somebody_else_was_there(field: bool | None, wanted: str) -> None:
    """The undo of a cordon finds the node as it left it, or not."""
    world = a_busy_node()
    await _approved(world)
    node = world.cluster.objects[("Node", "", "gpu-1")]
    if field:
        node["metadata"]["uid"] = "another-node"
    service = world.service()
    await service.click(world.change().nonce, "undo", world.people[ANA])
    await service.settled()
    assert world.change().state is (ChangeState.FAILED if field else ChangeState.UNDONE)
    assert wanted in world.change().told
