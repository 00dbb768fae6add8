"""A state with changes answers as a cluster in which they had happened, and leaves the view alone."""

import msgspec

from bot.domain.pod_spec import HostPort, PodTerm, SpreadConstraint
from bot.scheduling.evaluate import evaluate
from bot.scheduling.state import State
from tests.factories import a_taint, a_view
from tests.scheduling.placing import a_place, has, placed, verdict, waiting

WEB = {"app": "web"}


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


def test_a_pod_with_a_node_promised_keeps_it_from_pods_of_lower_priority() -> None:
    promised = waiting("promised", priority=10, nominated="n1", requests={"cpu": 64_000}, scheduler="default-scheduler")
    assert verdict(waiting("same", priority=10, requests={"cpu": 1}), a_place(), promised).feasible == ()
    assert verdict(waiting("higher", priority=11, requests={"cpu": 1}), a_place(), promised).feasible == ("n1",)
    assert verdict(promised, a_place()).feasible == ("n1",), "it does not stand in its own way"


def test_a_promise_by_another_scheduler_counts_for_nothing() -> None:
    promised = waiting("promised", priority=10, nominated="n1", requests={"cpu": 64_000}, scheduler="volcano")
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
