"""Who may say yes, no and undo, with the rights of the moment of the click."""

from dataclasses import replace
from typing import Any

import pytest

from bot.access.approval import may_approve, may_refuse, may_undo, needs_of, standing
from bot.access.rules import Identities
from bot.domain.change import ChangeState
from bot.domain.person import TERMINAL, Access, Identity
from tests.access.building import (
    ANA,
    BEN,
    CHEN,
    DORA,
    HOME,
    NOW,
    OTHER,
    RULES,
    a_change,
    a_person,
    a_plan,
    a_yes,
    minutes,
)

PROTECTED = {"plan": a_plan(size={"namespaces": ("kube-system",)})}


def test_another_operator_may_approve() -> None:
    assert may_approve(RULES, a_change(), a_person(BEN), NOW).allowed


@pytest.mark.parametrize(
    ("change", "person", "reason"),
    [
        pytest.param({}, a_person(ANA), "You asked for it yourself: somebody else must approve it", id="self-approval"),
        pytest.param({}, a_person(ANA, Access.ADMIN), "You asked for it yourself", id="self-approval by an admin"),
        pytest.param({"workspace": OTHER}, a_person(ANA), "You asked for it yourself", id="from another workspace"),
        pytest.param(
            {}, a_person(BEN, Access.READ),
            "You may not approve “cordon gpu-3”: your role is reader in this channel (needs operator)",
            id="somebody who has lost the right since",
        ),
        pytest.param({}, a_person(BEN, Access.NOBODY), "your role is nobody", id="somebody who left"),
        pytest.param(
            {}, a_person(BEN, Access.ADMIN, workspace=OTHER), "not of a workspace that gpubot serves",
            id="a person of another workspace, whatever role was worked out",
        ),
        pytest.param({}, TERMINAL, "not of a workspace that gpubot serves", id="nobody in particular"),
        pytest.param({"expires_at": NOW}, a_person(BEN), "has expired at 12:00 UTC", id="an expired click"),
        pytest.param({"state": ChangeState.EXPIRED}, a_person(BEN), "it is expired", id="what was found expired"),
        pytest.param({"state": ChangeState.REFUSED}, a_person(BEN), "it is refused", id="what was refused is refused"),
        pytest.param({"state": ChangeState.APPROVED}, a_person(BEN), "it is approved", id="what was approved before"),
        pytest.param({"state": ChangeState.OUTDATED}, a_person(BEN), "it is outdated", id="a plan of yesterday"),
        pytest.param(
            {"approvals": (a_yes(BEN),), "needed": 2}, a_person(BEN), "You have approved it already",
            id="one person twice",
        ),
        pytest.param(
            PROTECTED, a_person(BEN), "your role is operator in this channel (needs admin)",
            id="an operator, where the namespace is protected",
        ),
    ],
)  # fmt: skip
def test_nobody_else_may(change: dict[str, Any], person: Any, reason: str) -> None:
    decision = may_approve(RULES, a_change(**change), person, NOW)
    assert not decision.allowed
    assert reason in decision.reason


def test_an_admin_approves_what_is_protected() -> None:
    assert may_approve(RULES, a_change(**PROTECTED), a_person(DORA, Access.ADMIN), NOW).allowed
    labelled = ({"gpubot.dev/protected": "true"},)
    assert needs_of(RULES, a_change(), labelled) is Access.ADMIN
    assert not may_approve(RULES, a_change(), a_person(BEN), NOW, labels=labelled).allowed


def test_who_asks_is_told_who_could() -> None:
    decision = may_approve(RULES, a_change(), a_person(ANA), NOW)
    assert decision.who_can == f"an operator: {DORA}, {ANA}, {BEN} and {CHEN}"
    assert decision.people == (BEN, CHEN, DORA)


def test_where_people_are_mapped_an_approver_is_somebody_in_kubernetes() -> None:
    mapped = replace(RULES, identities=Identities(by_email=True))
    assert "not known who you are" in may_approve(mapped, a_change(), a_person(BEN), NOW).reason
    assert may_approve(mapped, a_change(), a_person(BEN, identity=Identity("ben")), NOW).allowed


@pytest.mark.parametrize(
    ("person", "no"),
    [
        pytest.param(a_person(ANA), "", id="whoever asked takes it back"),
        pytest.param(a_person(ANA, Access.READ), "", id="also with fewer rights than then"),
        pytest.param(a_person(ANA, Access.NOBODY), "role is nobody", id="but not somebody who left"),
        pytest.param(a_person(BEN), "", id="an operator"),
        pytest.param(a_person("U0EVA", Access.READ), "reader in this channel (needs operator)", id="not a reader"),
        pytest.param(a_person(ANA, workspace=OTHER), "not of a workspace", id="not the same id elsewhere"),
    ],
)
def test_who_may_refuse(person: Any, no: str) -> None:
    decision = may_refuse(RULES, a_change(), person, NOW)
    assert decision.allowed is not bool(no)
    assert no in decision.reason


def test_what_has_expired_cannot_be_refused_either() -> None:
    assert "has expired" in may_refuse(RULES, a_change(), a_person(BEN), minutes(28)).reason


@pytest.mark.parametrize(
    ("change", "person", "no"),
    [
        pytest.param({"state": ChangeState.APPLIED}, a_person(BEN), "", id="an operator undoes"),
        pytest.param({"state": ChangeState.APPLIED}, a_person(ANA), "", id="also their own"),
        pytest.param({"state": ChangeState.FOLLOWING}, a_person(BEN), "", id="before it is there"),
        pytest.param({"state": ChangeState.FAILED, "done": 1}, a_person(BEN), "", id="what failed half-way"),
        pytest.param(
            {"state": ChangeState.FAILED}, a_person(BEN), "nothing to undo", id="not what failed before it began"
        ),
        pytest.param({"state": ChangeState.UNDONE}, a_person(BEN), "it is undone", id="not twice"),
        pytest.param({"state": ChangeState.PROPOSED}, a_person(BEN), "it is proposed", id="not what was not done"),
        pytest.param(
            {"state": ChangeState.APPLIED, "plan": a_plan(undo=())}, a_person(BEN), "no way back", id="no way back"
        ),
        pytest.param({"state": ChangeState.APPLIED}, a_person(BEN, Access.READ), "(needs operator)", id="not a reader"),
        pytest.param(
            {"state": ChangeState.APPLIED},
            a_person(BEN, workspace=OTHER),
            "not of a workspace",
            id="not from elsewhere",
        ),
    ],
)
def test_who_may_undo(change: dict[str, Any], person: Any, no: str) -> None:
    decision = may_undo(RULES, a_change(**change), person)
    assert decision.allowed is not bool(no)
    assert no in decision.reason


def test_who_could_let_a_stranger_in_is_named() -> None:
    for decision in (
        may_undo(RULES, a_change(state=ChangeState.APPLIED), a_person(workspace=OTHER)),
        may_approve(replace(RULES, identities=Identities(by_email=True)), a_change(), a_person(BEN), NOW),
    ):
        assert (decision.who_can, decision.people) == (f"an admin: {DORA}", (DORA,))


def test_approvals_stand_as_long_as_their_givers_may() -> None:
    change = a_change(needed=2, approvals=(a_yes(BEN), a_yes(CHEN), a_yes(ANA), a_yes(BEN), a_yes("U0GONE")))
    people = {ANA: a_person(ANA), BEN: a_person(BEN), CHEN: a_person(CHEN, Access.READ)}
    assert [one.person for one in standing(RULES, change, people)] == [BEN]
    assert standing(RULES, change, {}) == ()
    assert change.workspace == HOME
