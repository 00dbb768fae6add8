"""After the last step: until it is there, or not, with the reason in the thread and nothing left behind."""

import asyncio
from dataclasses import replace

from bot.changes.kind import ChangeKind, Phase, Progress
from bot.changes.kinds import cordon
from bot.domain.change import ChangeState
from bot.domain.pod import ContainerState, Pod
from tests.access.building import ANA, BEN
from tests.acting.building import CLUSTER, World, plan_of
from tests.acting.clusters import a_busy_node

VERIFY = {"node": "gpu-2", "pod": "gpu-verify-x", "namespace": "default"}
KEY = "default/gpu-verify-x"


async def _verified(world: World) -> None:
    service = world.service()
    await service.propose(plan_of(world, "gpu-verify", **VERIFY), world.people[ANA], CLUSTER)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()


def _runs(world: World, **changed: object) -> None:
    """The pod is seen, and ends so, from the first look on."""

    def seen() -> None:
        if ("Pod", "default", "gpu-verify-x") in world.cluster.objects:
            pod = Pod(name="gpu-verify-x", namespace="default", node="gpu-2", **changed)  # type: ignore[arg-type]
            world.cluster.view.put("pods", KEY, pod)

    world.clock.wakes = seen


async def test_a_node_that_passes_shows_its_three_steps_and_leaves_no_pod() -> None:
    world = a_busy_node()
    world.cluster.logs[("default", "gpu-verify-x")] = "0, NVIDIA H200, GPU-1, 570.1, 143771 MiB, 0\n"
    _runs(world, phase="Succeeded")
    await _verified(world)
    assert world.change().state is ChangeState.APPLIED
    assert world.change().told == "gpu-2 runs a pod with a GPU."
    assert world.cluster.made == ["create pod default/gpu-verify-x", "delete pod default/gpu-verify-x"]
    end = world.posts.standing["change/test/1/end"]
    for wanted in ("capacity 8, allocatable 8", "0, NVIDIA H200", "it ended with 0", "No taint stands in the way"):
        assert wanted in end.text
    assert end.thread == "change/test/1"


async def test_a_node_that_does_not_pass_is_explained_in_the_thread() -> None:
    world = a_busy_node()
    states = (ContainerState("nvidia-smi", exit_code=9, terminated="Error"),)
    _runs(world, phase="Failed", states=states)
    await _verified(world)
    assert world.change().state is ChangeState.FAILED
    assert world.change().told == "gpu-2 does not pass: it ended with 9 (Error)."
    assert world.explained == [KEY]
    assert world.posts.standing["change/test/1/why"].thread == "change/test/1"
    assert ("Pod", "default", "gpu-verify-x") not in world.cluster.objects


async def test_a_pod_that_never_ends_is_given_up_and_removed() -> None:
    world = a_busy_node()
    _runs(world, phase="Pending")
    await _verified(world)
    assert world.change().state is ChangeState.FAILED
    assert "does not pass in time" in world.change().told
    assert ("Pod", "default", "gpu-verify-x") not in world.cluster.objects


async def test_an_undo_while_it_is_followed_stops_the_following() -> None:
    world = a_busy_node()
    slow = never_there(cordon.CHANGE)
    world.kinds = {"cordon": slow}
    service = world.service()
    await service.propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    clicked = False

    def wakes() -> None:
        nonlocal clicked
        if not clicked and world.change().state is ChangeState.FOLLOWING:
            clicked = True
            tasks.append(
                asyncio.get_running_loop().create_task(service.click(world.change().nonce, "undo", world.people[BEN]))
            )

    tasks: list[object] = []
    world.clock.wakes = wakes
    await service.settled()
    assert world.change().state is ChangeState.UNDONE
    assert world.cluster.made == ["cordon gpu-1", "uncordon gpu-1"]


def never_there(kind: ChangeKind) -> ChangeKind:
    """The same kind, which never gets there."""
    return replace(kind, follow=lambda plan, view, now, at: Progress(Phase.GOING, "still going"))


async def test_a_change_that_never_gets_there_fails_with_its_last_word() -> None:
    world = a_busy_node()
    world.kinds = {"cordon": never_there(cordon.CHANGE)}
    service = world.service()
    await service.propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()
    assert world.change().state is ChangeState.FAILED
    assert world.change().told == "After 1 min it is not there yet: still going"
