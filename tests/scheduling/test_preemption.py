"""Whom the scheduler would evict, and the tail of its message."""

from typing import Any

import pytest

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodTerm
from bot.domain.workload import PodDisruptionBudget, PriorityClass
from bot.scheduling.evaluate import Verdict
from tests.factories import a_taint
from tests.scheduling.placing import a_place, has, placed, verdict, waiting

HEAD = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, "


def node(name: str = "n1", cpu: int = 2_000, **changed: Any) -> Node:
    return a_place(name, allocatable={"cpu": cpu, "pods": 10}, **changed)


def low(name: str, place: str = "n1", cpu: int = 1_000, priority: int = 0, **changed: Any) -> Pod:
    return placed(place, name, requests={"cpu": cpu}, priority=priority, **changed)


def high(cpu: int = 1_000, **changed: Any) -> Pod:
    return waiting(requests={"cpu": cpu}, **({"priority": 100} | changed))


def budget(allowed: int, **changed: Any) -> PodDisruptionBudget:
    return PodDisruptionBudget(
        **({"name": "keep", "namespace": "ml", "selector": has("app", "web")} | changed), allowed=allowed
    )


def victims(told: Verdict) -> tuple[str, list[str]] | None:
    return (told.preemption.node, [pod.name for pod in told.preemption.victims]) if told.preemption else None


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param([low("a"), low("b", priority=50)], ["a"], id="the least important goes"),
        pytest.param([low("a", started="2026-01-01T00:00:00Z"), low("b", started="2026-02-01T00:00:00Z")], ["b"],
                     id="of equals the one that has run less"),
        pytest.param([low("a", cpu=500), low("b", cpu=500, priority=1), low("c")], ["c"], id="as few as will do"),
        pytest.param([low("a", priority=100), low("b", priority=100)], None, id="equal priority is safe"),
        pytest.param([low("a", priority=200), low("b", priority=99)], ["b"], id="only lower priority goes"),
    ],
)  # fmt: skip
def test_who_goes(pods: list[Pod], expected: list[str] | None) -> None:
    told = verdict(high(), node(), *pods)
    assert victims(told) == (None if expected is None else ("n1", expected))
    assert told.message == (
        HEAD + "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
        if expected is None
        else "0/1 nodes are available: 1 Insufficient cpu."
    ), "a successful preemption adds no tail"


def test_pods_under_a_budget_go_last_but_they_go() -> None:
    web = low("web", labels={"app": "web"})
    plain = low("plain", priority=50)
    assert victims(verdict(high(), node(), web, plain, budget(0))) == ("n1", ["plain"])
    assert victims(verdict(high(), node(), web, plain, budget(1))) == ("n1", ["web"]), "its budget allows it"
    both = verdict(high(2_000), node(), web, plain, budget(0))
    assert victims(both) == ("n1", ["plain", "web"])
    assert both.preemption is not None
    assert both.preemption.violations == 1


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"namespace": "other"}, id="of another namespace"),
        pytest.param({"disrupted": frozenset({"web"})}, id="that has counted the pod already"),
    ],
)
def test_budgets_that_do_not_matter(changed: dict[str, Any]) -> None:
    web, plain = low("web", labels={"app": "web"}), low("plain", priority=50)
    assert victims(verdict(high(), node(), web, plain, budget(0, **changed))) == ("n1", ["web"])


@pytest.mark.parametrize(
    ("one", "two", "chosen"),
    [
        pytest.param([("a", 10, 2_000)], [("b", 5, 2_000)], "n2", id="the lower highest priority"),
        pytest.param([("a", 5, 1_000), ("c", 5, 1_000)], [("b", 5, 2_000)], "n2", id="then the smaller sum"),
        pytest.param([("a", 5, 2_000)], [("b", 5, 2_000)], "n1", id="then any, by name here"),
    ],
)
def test_which_node(one: list[tuple[str, int, int]], two: list[tuple[str, int, int]], chosen: str) -> None:
    there = [low(name, "n1", cpu, priority) for name, priority, cpu in one]
    there += [low(name, "n2", cpu, priority) for name, priority, cpu in two]
    found = victims(verdict(high(2_000), node("n1"), node("n2"), *there))
    assert found is not None
    assert found[0] == chosen


def test_a_later_start_breaks_the_tie() -> None:
    early = low("a", "n1", 2_000, started="2026-01-01T00:00:00Z")
    late = low("b", "n2", 2_000, started="2026-02-01T00:00:00Z")
    assert victims(verdict(high(2_000), node("n1"), node("n2"), early, late)) == ("n2", ["b"])


@pytest.mark.parametrize(
    ("pod", "others", "tail"),
    [
        pytest.param(high(preemption_policy="Never"), [], "not eligible due to preemptionPolicy=Never.", id="never"),
        pytest.param(
            high(preemption_policy="", priority_class="kind"),
            [PriorityClass(name="kind", preemption_policy="Never")],
            "not eligible due to preemptionPolicy=Never.",
            id="never, says its class",
        ),
        pytest.param(
            high(nominated="n1"),
            [low("leaving", deleted="2026-11-30T12:00:00Z", preempted=True)],
            "not eligible due to a terminating pod on the nominated node.",
            id="a preemption is under way",
        ),
        pytest.param(
            high(3_000),
            [],
            "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            id="never fits there",
        ),
    ],
)
def test_the_tail(pod: Pod, others: list[Any], tail: str) -> None:
    full = low("full", cpu=2_000, priority=200)
    view = [other for other in others if isinstance(other, Pod)]
    told = verdict(pod, node(), full, *view, *(one for one in others if not isinstance(one, Pod)))
    assert told.message == f"{HEAD}preemption: {tail}"


def test_what_fails_for_good_shows_in_the_dry_run() -> None:
    """The first cause hides the second, until evicting pods would cure the first."""
    web = low("web", cpu=2_000, labels={"app": "web"})
    told = verdict(high(affinity=(PodTerm("zone", has("app", "db")),)), node(labels={"zone": "a"}), web)
    assert told.message.endswith("preemption: 0/1 nodes are available: 1 node(s) didn't match pod affinity rules.")


def test_a_taint_is_never_cured_by_eviction() -> None:
    told = verdict(high(), node(taints=(a_taint("gpu:NoSchedule"),)), low("a", cpu=2_000))
    assert victims(told) is None
    assert told.message.endswith("1 Preemption is not helpful for scheduling.")
