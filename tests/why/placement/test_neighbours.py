"""Pods that keep a pod away, or that it wants to be with: who they are, and what the rule is."""

from typing import Any

import pytest

from bot.domain.pod import Pod
from bot.domain.pod_spec import HostPort, PodSpec, PodTerm
from bot.domain.selectors import Requirement, Selector
from bot.why.finding import Finding
from bot.why.placement.named import selected
from bot.why.stages.placement import STAGE
from tests.factories import a_node, a_pod, owned_by
from tests.why.builders_fleet import a_waiting, case_of_pod
from tests.why.builders_owners import a_deployment, words

HOST = "kubernetes.io/hostname"
NODES = (a_node("gpu-1", more_labels={HOST: "gpu-1"}), a_node("gpu-2", more_labels={HOST: "gpu-2"}))


def a_term(key: str, value: str, topology: str = HOST, **changed: Any) -> PodTerm:
    return PodTerm(topology, Selector((Requirement(key, "In", (value,)),)), **changed)


def told(pod: Pod, *records: Any) -> Finding:
    return next(iter(STAGE.judge(case_of_pod(pod, *records))))


def test_replicas_of_one_owner_that_may_not_share_a_node() -> None:
    owner = a_deployment("emb")
    rule = PodSpec(anti_affinity=(a_term("app", "emb"),))
    own: dict[str, Any] = {"labels": {"app": "emb"}, "spec": rule, "owner": owned_by("Deployment", "emb", owner.uid)}
    there = [a_pod(f"emb-{number}", node=f"gpu-{number}", **own) for number in (1, 2)]
    finding = told(a_waiting("emb-3", gpus=1, **own), *NODES, *there, owner)
    assert "`emb-1` and `emb-2` of the same owner run there, and its anti-affinity allows one per" in finding.sentence
    assert "make it a wish" in finding.remedies[0].action
    assert "it fits on gpu-1 and gpu-2" in finding.remedies[0].action
    assert finding.remedies[0].verified


def test_company_of_others_is_named_with_the_rule() -> None:
    noisy = a_pod("noise-0", node="gpu-1", namespace="llm", labels={"kind": "noise"})
    pod = a_waiting(gpus=1, spec=PodSpec(anti_affinity=(a_term("kind", "noise"),)))
    finding = told(pod, NODES[0], noisy)
    assert f"its anti-affinity (`kind=noise`, same `{HOST}`) keeps it away from `noise-0`" in finding.sentence


def test_a_pod_that_wants_no_neighbours_is_named_and_ends_before_nodes_are_bought() -> None:
    everybody = PodTerm(HOST, Selector((Requirement("app", "Exists"),)), namespace_selector=Selector())
    alone = a_pod("latency-0", node="gpu-1", namespace="bench", gpus=2, spec=PodSpec(anti_affinity=(everybody,)))
    finding = told(a_waiting(gpus=1, labels={"app": "small"}), NODES[0], alone)
    assert "gpu-1 has 6 GPUs free but `bench/latency-0`" in finding.sentence
    assert "not the waiting pod's" in finding.sentence
    assert [one.action.split(",")[0] for one in finding.remedies] == ["Wait for the end of `bench/latency-0`"]


@pytest.mark.parametrize(
    ("there", "parts"),
    [
        pytest.param((), ("there is none that has a node",), id="nobody is like that"),
        pytest.param(
            (a_pod("kv-0", node="gpu-1", labels={"app": "kvcache"}),),
            ("`app=kvcache` (a typing mistake?)",),
            id="somebody is nearly like that",
        ),
        pytest.param(
            (a_pod("kv-0", node="gpu-1", namespace="cache", labels={"app": "kv-cache"}),),
            ("cache/kv-0 has these labels, but is of another namespace",),
            id="somebody of another namespace",
        ),
        pytest.param(
            (a_pod("kv-0", node="gpu-1", labels={"app": "kv-cache"}, gpus=8),),
            ("`kv-0` runs on gpu-1, which cannot take it: too few GPUs free",),
            id="its node is full",
        ),
    ],
)
def test_a_pod_that_may_run_only_beside_others(there: tuple[Pod, ...], parts: tuple[str, ...]) -> None:
    pod = a_waiting(gpus=1, spec=PodSpec(affinity=(a_term("app", "kv-cache"),)))
    finding = told(pod, *NODES, a_node("gpu-3", more_labels={HOST: "gpu-3"}), *there)
    assert "it may run only beside pods with `app=kv-cache` in namespace llm" in finding.sentence
    for part in parts:
        assert part in finding.sentence


def test_without_the_affinity_it_would_fit() -> None:
    finding = told(a_waiting(gpus=1, spec=PodSpec(affinity=(a_term("app", "kv-cache"),))), *NODES)
    assert "Correct its `podAffinity`" in finding.remedies[0].action
    assert "more node" not in words(finding)


# ---- ports -------------------------------------------------------------------------------------------------------------


def test_a_port_is_held_by_the_pods_own_kind() -> None:
    port: dict[str, Any] = {"spec": PodSpec(host_ports=(HostPort(8000),)), "owner": owned_by("StatefulSet", "vision")}
    there = a_pod("vision-0", **port)
    finding = told(a_waiting("vision-1", gpus=1, **port), NODES[0], there)
    assert "`vision-0` of the same owner has host port 8000/TCP there: only one such pod fits" in finding.sentence
    assert finding.remedies[0].action.startswith("Take `hostPort` and `hostNetwork` out of its template")
    assert "fits on gpu-1" in finding.remedies[0].action


def test_a_port_is_held_by_somebody_else() -> None:
    there = a_pod("proxy-0", namespace="edge", spec=PodSpec(host_ports=(HostPort(8000),)))
    finding = told(a_waiting(gpus=1, spec=PodSpec(host_ports=(HostPort(8000),))), NODES[0], there)
    assert "`edge/proxy-0` has host port 8000/TCP there" in finding.sentence
    assert "same owner" not in finding.sentence


# ---- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requirement", "text"),
    [
        pytest.param(Requirement("app", "In", ("a",)), "app=a", id="one value"),
        pytest.param(Requirement("app", "In", ("a", "b")), "app in (a,b)", id="several values"),
        pytest.param(Requirement("app", "NotIn", ("a",)), "app!=a", id="not that value"),
        pytest.param(Requirement("app", "NotIn", ("a", "b")), "app notin (a,b)", id="none of these"),
        pytest.param(Requirement("app", "Exists"), "app", id="any value"),
        pytest.param(Requirement("app", "DoesNotExist"), "!app", id="without the label"),
    ],
)
def test_a_selector_reads_as_kubectl_takes_it(requirement: Requirement, text: str) -> None:
    assert selected(Selector((requirement,))) == text
