"""May this be asked for now, and who else must agree? Each row is one sentence of the policy."""

from dataclasses import replace
from typing import Any

import pytest

from bot.access.policy import needed
from bot.access.rules import Approvals, Grant, Identities, Limits, Rules
from bot.access.windows import parse
from bot.domain.change import ChangeState
from bot.domain.freeze import Freeze
from bot.domain.person import TERMINAL, Access, Identity
from tests.access.building import ANA, BEN, CHEN, DORA, NOW, RULES, a_change, a_person, a_plan, a_step, minutes

TWO, ONE, NONE = 2, 1, 0


@pytest.mark.parametrize(
    ("plan", "labels", "approvals", "because"),
    [
        pytest.param({}, (), NONE, "it is small and can be undone", id="a cordon is small"),
        pytest.param({"undo": ()}, (), ONE, "it cannot be undone", id="what cannot be undone is never small"),
        pytest.param({"size": {"nodes": 2}}, (), ONE, "it concerns 2 nodes, more than 1", id="two nodes"),
        pytest.param({"size": {"replicas": 1, "gpus": 8}}, (), NONE, "it is small", id="one replica of eight GPUs"),
        pytest.param({"size": {"replicas": 2, "gpus": 8}}, (), ONE, "2 replicas, more than 1", id="two replicas"),
        pytest.param({"size": {"replicas": 1, "gpus": 9}}, (), ONE, "9 GPUs, more than 8", id="nine GPUs"),
        pytest.param({"size": {"evictions": 1}}, (), ONE, "it evicts 1 pod", id="an eviction is never small"),
        pytest.param({"size": {"gpus": 16}}, (), ONE, "16 GPUs, more than 8", id="sixteen GPUs are usual"),
        pytest.param({"size": {"gpus": 17}}, (), TWO, "17 GPUs, more than 16", id="seventeen GPUs are big"),
        pytest.param({"size": {"nodes": 1, "evictions": 3}}, (), TWO, "it drains 1 node", id="a drain is big"),
        pytest.param(
            {"size": {"namespaces": ("kube-system",)}}, (), TWO, "kube-system is protected", id="a protected namespace"
        ),
        pytest.param(
            {"steps": (a_step(kind="Pod", namespace="kube-system"),)}, (), TWO, "kube-system is protected",
            id="a protected namespace that only a step names",
        ),
        pytest.param(
            {}, ({}, {"gpubot.dev/protected": "true"}), TWO, "its label gpubot.dev/protected=true", id="a protecting label"
        ),
        pytest.param({}, ({"gpubot.dev/protected": "false"},), NONE, "it is small", id="the label with another value"),
    ],
)  # fmt: skip
def test_how_many_must_agree(plan: dict[str, Any], labels: tuple[Any, ...], approvals: int, because: str) -> None:
    rules = replace(RULES, admins=(Grant(groups=frozenset({"S0ADMINS"})),))
    decision = needed(rules, a_plan(**plan), a_person(), NOW, [], [], labels=labels)
    assert decision.allowed
    assert decision.approvals == approvals
    assert because in decision.reason


def test_a_label_may_be_protecting_whatever_its_value() -> None:
    rules = replace(RULES, protected=replace(RULES.protected, labels=("pet",)), admins=(Grant(groups=frozenset("S")),))
    assert needed(rules, a_plan(), a_person(), NOW, [], [], labels=({"pet": ""},)).approvals == TWO
    assert needed(rules, a_plan(), a_person(), NOW, [], [], labels=({"pets": ""},)).approvals == NONE


A_FREEZE = Freeze(number=1, by=DORA, because="the launch", since=minutes(-10), until=minutes(110))
NIGHTS = (parse("daily 22:00-04:00 UTC"),)
MAPPED = Identities(by_email=True)


@pytest.mark.parametrize(
    ("asked", "reason", "who_can"),
    [
        pytest.param(
            {"plan": a_plan(refused="gpu-3 is no node")}, "gpu-3 is no node", "", id="what cannot be done at all"
        ),
        pytest.param(
            {"asker": a_person("U0EVA", Access.READ)},
            "You may not cordon gpu-3: your role is reader in this channel (needs operator)",
            f"an operator: {DORA}, {ANA}, {BEN} and {CHEN}",
            id="a reader, with the role that is missing and who has it",
        ),
        pytest.param(
            {"asker": a_person("U0EVA", Access.NOBODY, channel="")},
            "You may not cordon gpu-3: your role is nobody (needs operator)",
            f"an operator: {DORA}, {ANA}, {BEN} and {CHEN}",
            id="somebody from elsewhere",
        ),
        pytest.param(
            {"rules": replace(RULES, identities=MAPPED)},
            "it is not known who you are in Kubernetes (needs access.identities.users)",
            f"an admin: {DORA}",
            id="an operator who is nobody in Kubernetes, where people are mapped",
        ),
        pytest.param(
            {"freezes": [A_FREEZE]},
            "Nothing is changed until 13:50 UTC, because the launch (`/gpu freeze off`)",
            f"an admin: {DORA}",
            id="a freeze",
        ),
        pytest.param(
            {"rules": replace(RULES, windows=NIGHTS)},
            "Changes are made in maintenance windows only: the next window begins 22:00 UTC",
            f"the settings, access.windows; an admin: {DORA}",
            id="outside the maintenance window",
        ),
        pytest.param(
            {"rules": replace(RULES, limits=Limits(nodes=0))},
            "The breaker stops it: it changes 1 node at once, and at most 0 may be changed within an hour",
            f"the settings, access.limits; an admin: {DORA}",
            id="more at once than the breaker ever allows",
        ),
        pytest.param(
            {"rules": replace(RULES, operators=(Grant(users=frozenset({ANA})),), admins=()), "plan": a_plan(undo=())},
            "It needs the approval of 1 other person: it cannot be undone; besides you nobody could give it",
            f"an operator: {ANA}",
            id="nobody else is there to approve",
        ),
        pytest.param(
            {"plan": a_plan(size={"namespaces": ("kube-system",)})},
            "It needs the approval of 2 others: the namespace kube-system is protected; besides you only 1 could give it",
            f"an admin: {DORA}",
            id="fewer admins than a protected namespace needs",
        ),
    ],
)
def test_a_no_says_what_is_missing_and_who_can_grant_it(asked: dict[str, Any], reason: str, who_can: str) -> None:
    given: dict[str, Any] = {"rules": RULES, "plan": a_plan(), "asker": a_person(), "freezes": []} | asked
    decision = needed(given["rules"], given["plan"], given["asker"], NOW, [], given["freezes"])
    assert not decision.allowed
    assert reason in decision.reason
    assert decision.who_can == who_can


def test_the_default_rules_let_nobody_change_anything() -> None:
    decision = needed(Rules(), a_plan(), a_person(ANA, Access.READ), NOW, [], [])
    assert not decision.allowed
    assert decision.who_can == "nobody yet: name somebody in the settings, access.operators"


@pytest.mark.parametrize(
    "freeze",
    [
        pytest.param({"until": NOW}, id="its time is over"),
        pytest.param({"since": minutes(1)}, id="it has not begun"),
        pytest.param({"ended_at": minutes(-1)}, id="somebody ended it"),
    ],
)
def test_a_freeze_that_does_not_hold_stops_nothing(freeze: dict[str, Any]) -> None:
    given = Freeze(**({"number": 1, "by": DORA, "because": "", "since": minutes(-9), "until": minutes(9)} | freeze))
    assert needed(RULES, a_plan(), a_person(), NOW, [], [given]).allowed


def test_of_several_freezes_the_longest_is_told_and_its_reason_is_made_harmless() -> None:
    longer = Freeze(number=2, by=DORA, because="<!channel>\u202e go", since=minutes(-1), until=minutes(24 * 60))
    reason = needed(RULES, a_plan(), a_person(), NOW, [], [A_FREEZE, longer]).reason
    assert reason == "Nothing is changed until 2026-12-01 12:00 UTC, because ‹!channel> go (`/gpu freeze off`)"


def test_who_is_mapped_may_ask() -> None:
    mapped = replace(RULES, identities=MAPPED)
    assert needed(mapped, a_plan(), a_person(identity=Identity("ana")), NOW, [], []).allowed
    assert needed(mapped, a_plan(), TERMINAL, NOW, [], []).allowed, "a terminal's preview has no person"


def test_groups_and_channels_hold_people_that_are_not_counted() -> None:
    for grant in (Grant(groups=frozenset({"S0OPS"})), Grant(channels=frozenset({"C0OPS"}))):
        assert needed(replace(RULES, operators=(grant,)), a_plan(undo=()), a_person(), NOW, [], []).approvals == ONE


def test_people_who_are_named_are_counted_whatever_their_channels() -> None:
    there = Grant(users=frozenset({ANA}), channels=frozenset({"C0OPS"}))
    decision = needed(replace(RULES, operators=(there, Grant()), admins=()), a_plan(undo=()), a_person(), NOW, [], [])
    assert decision.reason.endswith("besides you nobody could give it")


def test_a_no_names_people_so_that_they_can_be_mentioned() -> None:
    frozen = needed(RULES, a_plan(), a_person(), NOW, [], [A_FREEZE])
    unmapped = needed(replace(RULES, identities=MAPPED), a_plan(), a_person(), NOW, [], [])
    reader = needed(RULES, a_plan(), a_person("U0EVA", Access.READ), NOW, [], [])
    assert (frozen.people, unmapped.people, reader.people) == ((DORA,), (DORA,), (ANA, BEN, CHEN, DORA))


def test_how_many_must_agree_is_a_setting() -> None:
    rules = replace(RULES, approvals=Approvals(small=1, usual=2, big=3))
    assert needed(rules, a_plan(), a_person(), NOW, [], []).approvals == 1
    assert needed(rules, a_plan(undo=()), a_person(), NOW, [], []).approvals == 2
    assert needed(rules, a_plan(size={"gpus": 99}), a_person(), NOW, [], []).approvals == 3


def test_in_dry_run_mode_the_same_is_decided_and_said_to_change_nothing() -> None:
    rules = replace(RULES, dry_run=True)
    assert needed(rules, a_plan(), a_person(), NOW, [], []).dry_run
    assert needed(rules, a_plan(undo=()), a_person(), NOW, [], []).dry_run
    assert not needed(RULES, a_plan(), a_person(), NOW, [], []).dry_run


def test_the_breaker_counts_what_others_did() -> None:
    four = [
        a_change(number, ChangeState.APPLIED, requester=BEN, applied_at=minutes(-number * 10)) for number in range(1, 5)
    ]
    decision = needed(RULES, a_plan(), a_person(), NOW, four, [])
    assert decision.reason == (
        "The breaker stops it: 4 nodes were changed within the last hour and this would be 1 more: at most 4 may be; "
        "there is room again at 12:20 UTC"
    )
    assert needed(RULES, a_plan(), a_person(), minutes(20), four, []).allowed
