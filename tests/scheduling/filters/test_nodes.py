"""Filters that look at the node alone."""

import pytest

from bot.domain.node import Taint
from bot.domain.pod_spec import PodSpec, Toleration
from bot.domain.selectors import NodeTerm, Requirement, node_term
from bot.scheduling.filters.node_affinity import Mismatch
from bot.scheduling.framework import Code
from tests.factories import a_taint
from tests.scheduling.placing import a_place, failure, verdict, waiting

GPU = a_taint("nvidia.com/gpu=present:NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "passes"),
    [
        pytest.param(None, False, id="an untolerated taint keeps the pod away"),
        pytest.param(Toleration("nvidia.com/gpu", "Exists"), True, id="Exists tolerates every value and effect"),
        pytest.param(Toleration("nvidia.com/gpu", "", "present"), True, id="no operator means Equal"),
        pytest.param(Toleration("nvidia.com/gpu", "Equal", "other"), False, id="Equal compares the value"),
        pytest.param(Toleration("nvidia.com/gpu", "Exists", "", "NoExecute"), False, id="another effect does not help"),
        pytest.param(Toleration("", "Exists"), True, id="an empty key with Exists tolerates all"),
        pytest.param(Toleration("nvidia.com/gpu", "Gt", "1"), False, id="numeric operators are off"),
        pytest.param(Toleration("nvidia.com/gpu", "Sometimes", "present"), False, id="an unknown operator never helps"),
    ],
)
def test_taints(toleration: Toleration | None, passes: bool) -> None:
    pod = waiting(tolerations=(toleration,) if toleration else ())
    found = failure("TaintToleration", pod, a_place(taints=(GPU,)))
    assert (found is None) is passes
    if found is not None:
        assert (found.code, found.reasons) == (Code.UNRESOLVABLE, ("node(s) had untolerated taint(s)",))
        assert found.detail == GPU, "which the scheduler no longer says"


def test_a_taint_that_only_sways_keeps_nobody_away() -> None:
    soft = Taint("spot", "", "PreferNoSchedule")
    assert failure("TaintToleration", waiting(), a_place(taints=(soft,))) is None
    hard = Taint("spot", "", "NoExecute")
    found = failure("TaintToleration", waiting(), a_place(taints=(soft, hard)))
    assert found is not None
    assert found.detail == hard


@pytest.mark.parametrize(
    ("cordoned", "toleration", "passes"),
    [
        pytest.param(False, None, True, id="an open node takes the pod"),
        pytest.param(True, None, False, id="a cordoned one does not"),
        pytest.param(
            True, Toleration("node.kubernetes.io/unschedulable", "Exists"), True, id="unless the pod tolerates cordons"
        ),
    ],
)
def test_cordons(cordoned: bool, toleration: Toleration | None, passes: bool) -> None:
    pod = waiting(tolerations=(toleration,) if toleration else ())
    assert (failure("NodeUnschedulable", pod, a_place(unschedulable=cordoned)) is None) is passes


def terms(*each: NodeTerm) -> PodSpec:
    return PodSpec(node_terms=each)


def want(key: str, operator: str, *values: str) -> NodeTerm:
    return node_term((Requirement(key, operator, values),), ())


def named(operator: str, *values: str) -> NodeTerm:
    return node_term((), (Requirement("metadata.name", operator, values),))


@pytest.mark.parametrize(
    ("spec", "passes"),
    [
        pytest.param(PodSpec(node_selector={"gpu": "h100"}), True, id="nodeSelector: the label is there"),
        pytest.param(PodSpec(node_selector={"gpu": "a100"}), False, id="nodeSelector: another value"),
        pytest.param(PodSpec(node_selector={"gpu": "h100", "ssd": ""}), False, id="nodeSelector: all labels count"),
        pytest.param(terms(want("gpu", "In", "a100", "h100")), True, id="In: one of the values"),
        pytest.param(terms(want("gpu", "NotIn", "h100")), False, id="NotIn: it is one of them"),
        pytest.param(terms(want("rack", "NotIn", "r1")), True, id="NotIn: a node without the label passes"),
        pytest.param(terms(want("rack", "DoesNotExist")), True, id="DoesNotExist"),
        pytest.param(terms(want("rack", "Exists")), False, id="Exists"),
        pytest.param(terms(want("count", "Gt", "7")), True, id="Gt: 8 is more than 7"),
        pytest.param(terms(want("count", "Lt", "8")), False, id="Lt: 8 is not less than 8"),
        pytest.param(terms(want("gpu", "Gt", "1")), False, id="Gt: a label that is no number"),
        pytest.param(terms(want("gpu", "In", "a100"), want("count", "In", "8")), True, id="terms are alternatives"),
        pytest.param(terms(), False, id="no term at all matches nothing"),
        pytest.param(terms(node_term((), ())), False, id="an empty term matches nothing"),
        pytest.param(terms(want("gpu", "Near", "h100")), False, id="an unknown operator matches nothing"),
        pytest.param(terms(want("gpu", "Near", "x"), want("count", "Exists")), True, id="it spoils only its own term"),
        pytest.param(terms(want("count", "Gt", "1", "2")), False, id="Gt takes one value"),
        pytest.param(terms(want("gpu", "In")), False, id="In takes values"),
        pytest.param(terms(named("In", "n1")), True, id="the name itself"),
        pytest.param(terms(named("NotIn", "n1")), False, id="any but this name"),
    ],
)
def test_node_affinity(spec: PodSpec, passes: bool) -> None:
    node = a_place(labels={"gpu": "h100", "count": "8"})
    pod = waiting(node_selector=spec.node_selector, node_terms=spec.node_terms)
    assert (failure("NodeAffinity", pod, node) is None) is passes


def test_the_mismatch_names_what_does_not_hold() -> None:
    pod = waiting(node_selector={"gpu": "h100", "ssd": "yes"}, node_terms=(want("count", "Gt", "8"),))
    found = failure("NodeAffinity", pod, a_place(labels={"gpu": "h100", "count": "8"}))
    assert found is not None
    assert found.detail == Mismatch((("ssd", "yes"),), ((Requirement("count", "Gt", ("8",)),),))


def test_a_pod_for_one_node_leaves_the_others_out() -> None:
    told = verdict(waiting(node_terms=(named("In", "n2"),)), a_place("n1"), a_place("n2", unschedulable=True))
    assert told.prefilter_nodes == {"n2"}
    assert told.message.startswith(
        "0/2 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity], 1 node(s) were unschedulable."
    )


def test_names_that_contradict_each_other_end_the_cycle() -> None:
    both = node_term((), (Requirement("metadata.name", "In", ("n1",)), Requirement("metadata.name", "In", ("n2",))))
    told = verdict(waiting(node_terms=(both,)), a_place("n1"), a_place("n2"))
    assert told.prefilter is not None
    assert told.message == "0/2 nodes are available: pod affinity terms conflict. not found"
    assert told.first == {}


def test_features_that_the_kubelet_does_not_declare() -> None:
    pod = waiting(features=frozenset({"UserNamespacesHostNetworkSupport"}))
    assert failure("NodeDeclaredFeatures", pod, a_place(features=pod.spec.features)) is None
    found = failure("NodeDeclaredFeatures", pod, a_place())
    assert found is not None
    assert (found.code, found.detail) == (Code.UNRESOLVABLE, ("UserNamespacesHostNetworkSupport",))


def test_gates_keep_a_pod_out_of_the_queue_but_all_filters_are_asked() -> None:
    pod = waiting(gates=("example.com/quota", "example.com/hold"), gated=True)
    told = verdict(pod, a_place(unschedulable=True))
    assert told.preenqueue is not None
    assert told.preenqueue.failure.reasons == ("waiting for scheduling gates: [example.com/quota example.com/hold]",)
    assert (told.reason, told.preemption) == ("SchedulingGated", None)
    assert told.message == "Scheduling is blocked due to non-empty scheduling gates"
    assert [one.plugin for one in told.nodes["n1"]] == ["NodeUnschedulable"]
