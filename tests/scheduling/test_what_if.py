"""A state with changes answers as a cluster in which they had happened, and leaves the view alone."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import msgspec
import pytest

from bot.domain.pod import Pod
from bot.domain.pod_spec import ClaimRef, HostPort, PodTerm, SpreadConstraint
from bot.domain.selectors import NodeTerm, Requirement, Selector
from bot.scheduling.evaluate import evaluate
from bot.scheduling.feasible import feasible_on
from bot.scheduling.state import State
from tests.factories import a_taint, a_view
from tests.scheduling.placing import a_place, has, placed, verdict, waiting

WEB = {"app": "web"}
BROKEN = Selector(nothing=True, invalid="a value is not a valid label value")


def named(*names: str) -> NodeTerm:
    return NodeTerm(fields=(Requirement("metadata.name", "In", names),))


def test_without_a_pod_its_room_ports_and_company_are_gone() -> None:
    pod = waiting(
        requests={"cpu": 64_000},
        host_ports=(HostPort(80, "TCP", "0.0.0.0"),),
        anti_affinity=(PodTerm("zone", has("app", "web")),),
        labels=WEB,
    )
    there = placed("n1", requests={"cpu": 1_000}, host_ports=pod.spec.host_ports, labels=WEB)
    view = a_view(pod, there, a_place(labels={"zone": "a"}))
    state = State(view)
    plugins = [one.plugin for one in evaluate(pod, state).nodes["n1"]]
    assert plugins == ["NodePorts", "NodeResourcesFit", "InterPodAffinity"]
    assert evaluate(pod, state.without_pods([there])).feasible == ("n1",)
    assert evaluate(pod, state).feasible == (), "the state itself has not changed"


def test_with_a_pod_its_room_is_taken_and_its_company_counts() -> None:
    pod = waiting(labels=WEB, spread=(SpreadConstraint("zone", selector=has("app", "web")),))
    nodes = [a_place("n1", labels={"zone": "a"}), a_place("n2", labels={"zone": "b"})]
    state = State(a_view(pod, *nodes))
    assert evaluate(pod, state).feasible == ("n1", "n2")
    twin = waiting("twin", labels=WEB)
    assert evaluate(pod, state.with_pod(twin, "n1")).feasible == ("n2",)


def test_with_another_node_its_labels_and_taints_count() -> None:
    pod = waiting(node_selector={"gpu": "h100"})
    node = a_place(taints=(a_taint("gpu:NoSchedule"),))
    state = State(a_view(pod, node))
    better = msgspec.structs.replace(node, labels={"gpu": "h100"}, taints=())
    assert evaluate(pod, state).feasible == ()
    assert evaluate(pod, state.with_node(better)).feasible == ("n1",)


def test_with_another_node_the_pods_that_are_there_move_to_its_domain() -> None:
    pod = waiting(affinity=(PodTerm("zone", has("app", "web")),))
    node, other = a_place(labels={"zone": "a"}), a_place("n2", labels={"zone": "b"})
    state = State(a_view(pod, node, other, placed("n1", labels=WEB)))
    assert evaluate(pod, state).feasible == ("n1",)
    moved = state.with_node(msgspec.structs.replace(node, labels={"zone": "b"}))
    assert evaluate(pod, moved).feasible == ("n1", "n2")


def test_with_a_new_node_it_is_counted_named_and_asked() -> None:
    pod = waiting(node_selector={"gpu": "h100"})
    state = State(a_view(pod, a_place()))
    told = evaluate(pod, state.with_new_node(a_place("n2")))
    assert told.message.startswith("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.")
    assert set(told.nodes) == set(told.first) == {"n1", "n2"}
    assert evaluate(pod, state.with_new_node(a_place("n2", labels={"gpu": "h100"}))).feasible == ("n2",)
    assert set(evaluate(pod, state).nodes) == {"n1"}, "the state itself has not changed"


def test_with_a_new_node_where_there_was_none() -> None:
    pod = waiting()
    state = State(a_view(pod)).with_new_node(a_place())
    assert evaluate(pod, state).feasible == ("n1",)
    assert (list(state.names), state.find("n1"), state.find("n2")) == (["n1"], state.info("n1"), None)
    assert [info.node.name for info in state.infos()] == ["n1"]


def test_the_pods_of_a_new_node_take_room_ports_and_company() -> None:
    port = HostPort(80, "TCP", "0.0.0.0")
    pod = waiting(labels=WEB, requests={"cpu": 64_000}, host_ports=(port,), priority=1)
    apart = (PodTerm("zone", has("app", "web")),)
    agent = placed("", "agent", requests={"cpu": 1_000}, host_ports=(port,), anti_affinity=apart)
    new = State(a_view(pod)).with_new_node(a_place(labels={"zone": "a"}), [agent])
    told = evaluate(pod, new)
    assert [one.plugin for one in told.nodes["n1"]] == ["NodePorts", "NodeResourcesFit", "InterPodAffinity"]
    assert told.preemption is not None
    assert [(one.key, one.node) for one in told.preemption.victims] == [("ml/agent", "n1")]


def test_a_new_node_is_a_domain_for_spreading_and_for_company() -> None:
    spread = (SpreadConstraint("zone", selector=has("app", "web")),)
    pod = waiting(labels=WEB, spread=spread, affinity=(PodTerm("zone", has("app", "web")),))
    state = State(a_view(pod, a_place(labels={"zone": "a"}), placed("n1", labels=WEB)))
    new = a_place("n2", labels={"zone": "b"})
    assert evaluate(pod, state).feasible == ("n1",)
    assert evaluate(pod, state.with_new_node(new)).feasible == (), "uneven in one zone, lonely in the other"
    assert evaluate(pod, state.with_new_node(new, [placed("", "twin", labels=WEB)])).feasible == ("n1", "n2")


def test_a_node_that_exists_is_not_new() -> None:
    with pytest.raises(ValueError, match="node n1 exists already"):
        State(a_view(a_place())).with_new_node(a_place())


GONE = placed("n1", "gone", requests={"cpu": 64_000})
STEPS: dict[str, Callable[[State], State]] = {
    "a new node": lambda state: state.with_new_node(a_place("n3", labels={"zone": "c"})),
    "another label": lambda state: state.with_node(a_place("n2", labels={"zone": "z"})),
    "a pod gone": lambda state: state.without_pods([GONE]),
    "a pod more": lambda state: state.with_pod(waiting("more", requests={"cpu": 1_000}), "n2"),
}


@pytest.mark.parametrize("order", list(permutations(STEPS)), ids=", ".join)
def test_changes_in_any_order_make_the_same_cluster(order: tuple[str, ...]) -> None:
    state = State(a_view(a_place(), a_place("n2"), GONE))
    for name in order:
        state = STEPS[name](state)
    assert {info.node.name: dict(info.node.labels) for info in state.infos()} == {
        "n1": {},
        "n2": {"zone": "z"},
        "n3": {"zone": "c"},
    }
    assert {info.node.name: sorted(pod.name for pod in info.pods) for info in state.infos()} == {
        "n1": [],
        "n2": ["more"],
        "n3": [],
    }
    assert {info.node.name: info.requested.get("cpu", 0) for info in state.infos()} == {"n1": 0, "n2": 1_000, "n3": 0}


def test_a_new_node_may_be_changed_filled_and_emptied() -> None:
    pod = waiting(node_selector={"gpu": "h100"}, requests={"cpu": 64_000})
    state = State(a_view(pod)).with_new_node(a_place()).with_pod(waiting("other", requests={"cpu": 1}), "n1")
    labelled = state.with_node(a_place(labels={"gpu": "h100"}))
    assert [one.plugin for one in evaluate(pod, labelled).nodes["n1"]] == ["NodeResourcesFit"]
    assert evaluate(pod, labelled.without_pods(labelled.info("n1").pods)).feasible == ("n1",)


def test_a_pod_goes_only_once() -> None:
    there = placed("n1", requests={"cpu": 1_000})
    state = State(a_view(a_place(), there))
    once = state.without_pods([there])
    assert once.without_pods([there]).info("n1").requested == once.info("n1").requested == {"cpu": 0, "pods": 0}


def test_a_pod_of_a_node_that_is_gone_may_go_too() -> None:
    there = placed("gone")
    state = State(a_view(a_place(), there)).without_pods([there])
    assert [info.node.name for info in state.infos()] == ["n1"]


def test_a_pod_that_is_as_if_placed_is_promised_no_node_any_more() -> None:
    promised = waiting("promised", priority=10, nominated="n1", requests={"cpu": 64_000})
    pod = waiting(requests={"cpu": 1})
    state = State(a_view(pod, promised, a_place(), a_place("n2")))
    assert evaluate(pod, state).feasible == ("n2",)
    assert evaluate(pod, state.with_pod(promised, "n2")).feasible == ("n1",)


def test_company_is_counted_anew_for_each_what_if() -> None:
    pod = waiting(labels=WEB, anti_affinity=(PodTerm("zone", has("app", "web")),))
    there = placed("n1", labels=WEB)
    nodes = [a_place("n1", labels={"zone": "a"}), a_place("n2", labels={"zone": "b"})]
    state = State(a_view(pod, *nodes, there))
    assert feasible_on(pod, state) == ("n2",)
    assert feasible_on(pod, state.without_pods([there])) == ("n1", "n2")
    assert feasible_on(pod, state.without_pods([there]).with_pod(there, "n2")) == ("n1",)
    assert feasible_on(pod, state.with_node(a_place("n2", labels={"zone": "a"}))) == ()
    assert feasible_on(pod, state.with_new_node(a_place("n3", labels={"zone": "c"}))) == ("n2", "n3")
    assert feasible_on(pod, state) == ("n2",), "what was counted once has not been changed"


def test_spread_is_counted_anew_for_each_what_if() -> None:
    pod = waiting(labels=WEB, spread=(SpreadConstraint("zone", selector=has("app", "web")),))
    there = placed("n1", labels=WEB)
    nodes = [a_place("n1", labels={"zone": "a"}), a_place("n2", labels={"zone": "b"})]
    state = State(a_view(pod, *nodes, there))
    assert feasible_on(pod, state) == ("n2",)
    assert feasible_on(pod, state.without_pods([there])) == ("n1", "n2")
    assert feasible_on(pod, state.with_pod(waiting("twin", labels=WEB), "n2")) == ("n1", "n2")
    assert feasible_on(pod, state.with_pod(waiting("other", labels=WEB, namespace="web"), "n2")) == ("n2",)
    assert feasible_on(pod, state.with_new_node(a_place("n3", labels={"zone": "a"}))) == ("n2",)


def test_feasible_looks_only_where_it_is_asked_to_and_no_longer_than_needed() -> None:
    pod = waiting(requests={"cpu": 64_000})
    nodes = [a_place(f"n{number}") for number in range(1, 5)]
    state = State(a_view(pod, *nodes, placed("n1", requests={"cpu": 1})))
    assert feasible_on(pod, state) == evaluate(pod, state).feasible == ("n2", "n3", "n4")
    assert feasible_on(pod, state, ["n4", "n1", "gone", "n3"]) == ("n4", "n3")
    assert feasible_on(pod, state, at_most=2) == ("n2", "n3")
    assert feasible_on(pod, state, iter(["n1", "n2", "n3"]), at_most=1) == ("n2",)
    assert feasible_on(pod, state, at_most=0) == feasible_on(pod, state, []) == ()


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(waiting(node_terms=()), id="terms that match no node"),
        pytest.param(waiting(node_terms=(named("n2", "gone"),)), id="a term that names its nodes"),
        pytest.param(waiting(node_terms=(named("n2"),), nominated="n1"), id="a promise elsewhere than it may go"),
        pytest.param(waiting(spread=(SpreadConstraint("zone", selector=BROKEN),)), id="a selector that does not parse"),
        pytest.param(waiting(gates=("quota",), gated=True), id="gates"),
        pytest.param(waiting(claims=(ClaimRef("gpu", claim="missing"),)), id="a claim that does not exist"),
    ],
)
def test_feasible_is_what_the_whole_answer_says(pod: Pod) -> None:
    state = State(a_view(pod, a_place(), a_place("n2")))
    assert feasible_on(pod, state) == evaluate(pod, state).feasible


def test_a_pod_with_a_node_promised_keeps_it_from_pods_of_lower_priority() -> None:
    promised = waiting("promised", priority=10, nominated="n1", requests={"cpu": 64_000}, scheduler="default-scheduler")
    assert verdict(waiting("same", priority=10, requests={"cpu": 1}), a_place(), promised).feasible == ()
    assert verdict(waiting("higher", priority=11, requests={"cpu": 1}), a_place(), promised).feasible == ("n1",)
    assert verdict(promised, a_place()).feasible == ("n1",), "it does not stand in its own way"


def test_a_promise_by_another_scheduler_counts_for_nothing() -> None:
    promised = waiting("promised", priority=10, nominated="n1", requests={"cpu": 64_000}, scheduler="volcano")
    assert verdict(waiting("new", requests={"cpu": 1}), a_place(), promised).feasible == ("n1",)


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param({"gates": ("quota",), "gated": True}, id="gates"),
        pytest.param({"claims": (ClaimRef("gpu", claim="missing"),)}, id="a claim that nobody has made"),
    ],
)
def test_the_promise_to_a_pod_that_is_kept_out_of_the_queue_counts_for_nothing(kept: dict[str, Any]) -> None:
    promised = waiting("promised", priority=10, nominated="n1", requests={"cpu": 64_000}, **kept)
    assert verdict(waiting("new", requests={"cpu": 1}), a_place(), promised).feasible == ("n1",)


def test_no_nodes_no_verdicts() -> None:
    told = verdict(waiting())
    assert (told.reason, told.message) == ("Unschedulable", "no nodes available to schedule pods")


def test_counts_are_sorted_as_text() -> None:
    nodes = [a_place(f"c{number}", unschedulable=True) for number in range(10)]
    tainted = [a_place(f"t{number}", taints=(a_taint("gpu:NoSchedule"),)) for number in range(2)]
    told = verdict(waiting(), *nodes, *tainted)
    assert told.message == (
        "0/12 nodes are available: 10 node(s) were unschedulable, 2 node(s) had untolerated taint(s). "
        "no new claims to deallocate, preemption: 0/12 nodes are available: "
        "12 Preemption is not helpful for scheduling."
    )
