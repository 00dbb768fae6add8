"""After the last step: until it is there, or not, with the reason in the thread and nothing left behind."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.changes.kind import ChangeKind, Phase, Progress
from bot.changes.kinds import cordon
from bot.domain.change import ChangeState, Plan
from bot.domain.document import File, table
from bot.domain.pod import ContainerState, Pod
from bot.domain.probing import Endpoint, Smoke
from bot.domain.view import View
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


def scripted(*said: Progress, **changed: Any) -> ChangeKind:
    """Cordoning that says one after the other while it is followed."""
    left = list(said)

    def follow(plan: Plan, view: View, now: datetime, at: datetime) -> Progress:
        return left.pop(0) if len(left) > 1 else left[0]

    return replace(cordon.CHANGE, follow=follow, **changed)


async def followed(world: World, kind: ChangeKind) -> None:
    world.kinds = {"cordon": kind}
    service = world.service()
    await service.propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()


async def test_what_is_late_is_explained_once_in_the_thread_while_it_goes_on() -> None:
    """Not at every look, and anew for the next phase that is late."""
    world = a_busy_node()
    going = Progress(Phase.GOING, "scheduled", subject="llm/a")
    placeless = [replace(going, sentence=f"no node {minute}", late="scheduled") for minute in (5, 6)]
    loads = replace(going, sentence="loads", late="loading", subject="llm/b")
    await followed(world, scripted(going, *placeless, replace(going, sentence="got one"), loads, DONE))
    assert world.change().state is ChangeState.APPLIED
    assert world.explained == ["llm/a", "llm/b"]
    threads = {key: post.thread for key, post in world.posts.standing.items() if "/why" in key}
    assert threads == {"change/test/1/why/scheduled": "change/test/1", "change/test/1/why/loading": "change/test/1"}


DONE = Progress(Phase.DONE, "all is ready.", ("the clock",))


@dataclass
class OneAnswer:
    """A prober that was asked."""

    smoke_: Smoke
    asked: list[Endpoint] = field(default_factory=list)

    async def smoke(self, where: Endpoint) -> Smoke:
        self.asked.append(where)
        return self.smoke_


def asks(*said: Progress) -> ChangeKind:
    def smoked(plan: Plan, progress: Progress, smoke: Smoke) -> Progress:
        del plan
        parts = (table(("at once", "first token"), [("1", "0.2 s")]), File(("curl http://x",)))
        phase = Phase.DONE if smoke.ok else Phase.FAILED
        return Progress(
            phase, f"{progress.sentence} {smoke.wrong or smoke.answer}", progress.lines, "llm/glm", parts=parts
        )

    return scripted(*said, smoke=lambda plan: Endpoint("llm", "glm", 8000, "glm"), smoked=smoked)


async def test_what_is_ready_is_asked_and_its_figures_stand_in_the_thread() -> None:
    world = a_busy_node()
    world.prober = prober = OneAnswer(Smoke("Hello"))
    await followed(world, asks(Progress(Phase.GOING, "loads"), DONE))
    assert prober.asked == [Endpoint("llm", "glm", 8000, "glm")]
    assert any("asked for its first tokens now" in one.text for one in world.posts.history)
    assert world.change().told == "all is ready. Hello"
    end = world.posts.standing["change/test/1/end"]
    assert end.thread == "change/test/1"
    for wanted in ("the clock", "first token", "0.2 s", "curl http://x"):
        assert wanted in end.text


async def test_what_is_ready_and_does_not_answer_has_failed_and_is_explained() -> None:
    world = a_busy_node()
    world.prober = OneAnswer(Smoke("", wrong="503"))
    await followed(world, asks(DONE))
    assert world.change().state is ChangeState.FAILED
    assert world.change().told == "all is ready. 503"
    assert world.explained == ["llm/glm"]


async def test_what_failed_is_not_asked() -> None:
    world = a_busy_node()
    world.prober = prober = OneAnswer(Smoke("Hello"))
    await followed(world, asks(Progress(Phase.FAILED, "it crashed")))
    assert prober.asked == []
    assert world.change().told == "it crashed"
