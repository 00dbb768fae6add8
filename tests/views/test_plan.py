"""Plans and changes as people see them: nothing in a button but a nonce and a word, nothing from a cluster as markup."""

import json

import pytest

from bot.domain.change import ChangeState, Step, Target, Verb
from bot.domain.document import Document
from bot.views import blocks, plan
from bot.views.shortened import fits
from bot.views.text import render
from tests.access.building import a_change, a_plan, a_step, a_yes, minutes
from tests.views import golden_files

HOSTILE = "<!channel> *bold* `x` <@U1> " + "a" * 400


def hostile_step(index: int) -> Step:
    target = Target(api_version="v1", kind="Pod", resource="pods", namespace="llm", name=f"p-{index}")
    return Step(verb=Verb.EVICT, target=target, says=f"evict {HOSTILE}", before={"x": HOSTILE}, after={"x": None})


def buttons(document: Document) -> list[str]:
    return [one.value for one in document.buttons]


def test_a_preview_says_that_nothing_is_changed_yet() -> None:
    text = render(plan.preview(a_plan(because="Xid 79", effects=("It is so.",), costs=("A pod.",))))
    assert text.startswith("Would cordon gpu-3. Nothing is changed yet.")
    for wanted in ("Because Xid 79", "What comes of it\n  It is so.", "What it costs\n  A pod.", "Undo"):
        assert wanted in text
    assert plan.preview(a_plan()).buttons == ()


def test_a_plan_that_is_refused_says_so_first() -> None:
    assert render(plan.preview(a_plan(refused="gpu-3 is gone."))).startswith("Cannot be done: gpu-3 is gone.")


@pytest.mark.parametrize(
    ("needed", "approvals", "wanted"),
    [
        pytest.param(0, (), "waits for a yes", id="nobody else needs to agree"),
        pytest.param(1, (), "waits for 1 approval", id="one"),
        pytest.param(2, (a_yes(),), "waits for 1 approval", id="one of two is there"),
        pytest.param(2, (), "waits for 2 approvals", id="two"),
    ],
)
def test_what_is_asked_of_approvers(needed: int, approvals: tuple[object, ...], wanted: str) -> None:
    document = plan.proposed(a_change(needed=needed, approvals=approvals))
    assert wanted in render(document)
    assert buttons(document) == ["n1|yes", "n1|no"]


@pytest.mark.parametrize(
    ("state", "done", "wanted"),
    [
        pytest.param(ChangeState.APPLIED, 1, ["n1|undo"], id="what was applied can be undone"),
        pytest.param(ChangeState.FAILED, 1, ["n1|undo"], id="what failed half-way, too"),
        pytest.param(ChangeState.FAILED, 0, [], id="what never began not"),
        pytest.param(ChangeState.UNDONE, 1, [], id="what was undone not again"),
        pytest.param(ChangeState.REFUSED, 0, [], id="what was refused not"),
    ],
)
def test_who_can_still_be_taken_back(state: ChangeState, done: int, wanted: list[str]) -> None:
    assert buttons(plan.ended(a_change(state=state, done=done))) == wanted


@pytest.mark.parametrize(
    ("state", "again", "wanted"),
    [
        pytest.param(ChangeState.FAILED, "deploy flash", ["ask"], id="what failed can be asked for again"),
        pytest.param(ChangeState.FAILED, "", [], id="not where that makes no sense"),
        pytest.param(ChangeState.FAILED, "deploy " + "x" * 2000, [], id="nor where the line is too long for a button"),
        pytest.param(ChangeState.APPLIED, "deploy flash", [], id="what is done not"),
    ],
)
def test_what_can_be_tried_again(state: ChangeState, again: str, wanted: list[str]) -> None:
    document = plan.ended(a_change(plan=a_plan(again=again, undo=()), state=state))
    found = [one for one in document.buttons if one.action == plan.ASK]
    assert [one.action for one in found] == wanted
    assert all(one.value == f"deploy flash @{a_change().cluster} because" for one in found)


def test_a_change_that_ends_by_itself_says_when() -> None:
    text = render(plan.ended(a_change(state=ChangeState.APPLIED, undo_at=minutes(60))))
    assert "undone by itself 2026-11-30 13:00 UTC" in text


def test_a_hundred_hostile_steps_fit_one_message_and_ping_nobody() -> None:
    steps = tuple(map(hostile_step, range(100)))
    document = plan.proposed(a_change(plan=a_plan(steps=steps, effects=(HOSTILE,) * 30, costs=(HOSTILE,) * 30)))
    assert fits(document)
    assert "<!" not in render(document)
    message = blocks.render(document)
    assert "<!channel>" not in json.dumps(message.blocks)
    assert "<!channel>" not in message.text


DRAIN = a_plan(
    kind="drain",
    title="drain gpu-3",
    because="Xid 79 on GPU 3",
    steps=(
        a_step(
            before={"spec.unschedulable": None},
            after={"spec.unschedulable": True},
            says="cordon gpu-3",
            command="kubectl cordon gpu-3",
        ),
        a_step("glm-0", kind="Pod", namespace="llm", verb=Verb.EVICT, says="evict llm/glm-0"),
    ),
    undo=(a_step(before={"spec.unschedulable": True}, after={"spec.unschedulable": None}, says="uncordon gpu-3"),),
    effects=("glm keeps 3 of 4 replicas.",),
    costs=("llm/glm-0 loses what it works on.",),
    warnings=("No other node has 8 GPUs free.",),
    instead=("Wait for gpu-5: it comes back in 12 min.",),
    unknown=("How many requests glm-0 has in flight.",),
)


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("plan_preview", plan.preview(DRAIN)),
        ("plan_denied", plan.denied(DRAIN, "You may not drain gpu-3: your role is reader here.", ("U0BEN", "S0OPS"))),
        ("plan_proposed", plan.proposed(a_change(plan=DRAIN, needed=2, approvals=(a_yes(),)))),
        (
            "plan_progress",
            plan.progress(a_change(plan=DRAIN, state=ChangeState.FOLLOWING, done=2), ("gpu-3 is empty", "glm-0 waits")),
        ),
        (
            "plan_done",
            plan.ended(
                a_change(plan=DRAIN, state=ChangeState.APPLIED, done=2, told="gpu-3 is drained.", undo_at=minutes(60))
            ),
        ),
        (
            "plan_failed",
            plan.ended(a_change(plan=DRAIN, state=ChangeState.FAILED, done=1, told="A disruption budget forbids it.")),
        ),
    ],
)
def test_what_people_see_of_it(name: str, document: Document) -> None:
    golden_files.matches(name, render(document))
    golden_files.matches(f"{name}_blocks", blocks.render(document).blocks)
