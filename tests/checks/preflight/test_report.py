"""The verdict of a fleet, and which part of it is asked about."""

import pytest

from bot.checks.preflight.point import State
from bot.checks.preflight.report import WHOLE_PODS, Asked, Verdict, wanted
from bot.domain.errors import NotFoundError
from bot.domain.evidence import LogRef, NodeRef, ObjectRef
from bot.domain.node import Condition
from bot.domain.view import View
from tests.checks.preflight.fleets import a_fit_node, a_plugin, an_engine, fit, judged, the
from tests.factories import NOW, POLICY, a_cpu_node, a_node
from tests.why.builders_stack import a_silent_node, a_stack_view, at


@pytest.mark.parametrize(
    ("view", "verdict"),
    [
        pytest.param(fit(), Verdict.READY, id="all pass, though nobody tells where weights come from"),
        pytest.param(fit(a_fit_node("gpu-2", healthy=7), a_plugin("gpu-2")), Verdict.NOT_READY, id="one fails"),
        pytest.param(fit(a_fit_node("gpu-2")), Verdict.UNKNOWN, id="one has no plugin that anybody saw"),
        pytest.param(fit(a_fit_node("gpu-2"), a_fit_node("gpu-3", healthy=7)), Verdict.NOT_READY, id="both"),
        pytest.param(fit(unread=("pods",)), Verdict.UNKNOWN, id="pods were not read"),
        pytest.param(a_stack_view(unread=("nodes",)), Verdict.UNKNOWN, id="nodes were not read"),
        pytest.param(a_stack_view(a_cpu_node()), Verdict.UNKNOWN, id="no GPU node: nothing was judged"),
        pytest.param(
            fit(a_silent_node("gpu-2", labels={"nvidia.com/gpu.count": "8", "pool": "h200"}, created=at(minutes=2))),
            Verdict.READY,
            id="one comes up",
        ),
    ],
)
def test_the_verdict(view: View, verdict: Verdict) -> None:
    assert judged(view).verdict is verdict


def test_a_node_that_goes_away_keeps_nobody_from_being_ready() -> None:
    leaving = a_fit_node("gpu-2", deleted=at(minutes=1), conditions=(Condition("Ready", "Unknown"),))
    found = judged(fit(leaving))
    assert found.verdict is Verdict.READY
    assert "goes away" in the(found, "gpu-2").changing


def two_pools() -> View:
    return fit(a_fit_node("a10-1", pool="a10-spot", product="NVIDIA-A10", healthy=7), a_plugin("a10-1"))


def test_nodes_are_judged_by_pool() -> None:
    assert {pool: [node.name for node in nodes] for pool, nodes in judged(two_pools()).pools.items()} == {
        "a10-spot": ["a10-1"],
        "h200": ["gpu-1"],
    }


def test_nodes_without_a_pools_label_belong_together_by_their_model() -> None:
    view = a_stack_view(a_node("a-1"), a_node("a-2", product="NVIDIA-A10"), a_node("a-3", product=""))
    assert list(judged(view).pools) == ["A10", "GPU nodes without pool or product label", "H200"]


@pytest.mark.parametrize(
    ("pool", "node", "names", "verdict"),
    [
        pytest.param("H200", "", ["gpu-1"], Verdict.READY, id="a pool, in any case"),
        pytest.param("a10", "", ["a10-1"], Verdict.NOT_READY, id="a part of its name"),
        pytest.param("", "gpu-1", ["gpu-1"], Verdict.READY, id="a node"),
    ],
)
def test_a_part_is_judged_alone(pool: str, node: str, names: list[str], verdict: Verdict) -> None:
    found = judged(two_pools(), pool=pool, node=node)
    assert ([one.name for one in found.nodes], found.verdict) == (names, verdict)


@pytest.mark.parametrize(
    ("pool", "node", "words"),
    [
        pytest.param("b200", "", "No pool of GPU nodes is called “b200”; there are: a10-spot and h200.", id="pool"),
        pytest.param("", "gpu-9", "No GPU node is called “gpu-9”; there are: a10-1 and gpu-1.", id="node"),
    ],
)
def test_a_name_that_is_not_there_is_said(pool: str, node: str, words: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        judged(two_pools(), pool=pool, node=node)
    assert str(caught.value) == words


def test_a_pool_of_nodes_that_nobody_could_read_is_unknown_not_missing() -> None:
    assert judged(a_stack_view(unread=("nodes",)), pool="h200").verdict is Verdict.UNKNOWN


def test_a_model_is_compared_with_the_whole_pool_also_where_one_node_is_asked_about() -> None:
    view = a_stack_view(*(a_fit_node(f"gpu-{place}") for place in (1, 2)), a_fit_node("gpu-3", product="NVIDIA-A10"))
    alone = judged(view, node="gpu-3")
    assert [point.id for _, point, _ in alone.each(State.NOT_OK)] == ["model"]


def test_what_is_looked_up_is_of_those_nodes_and_one_whole_pod_of_each_owner() -> None:
    owner = an_engine().owner
    view = fit(a_fit_node("gpu-2"), an_engine("glm-1", node="gpu-2", owner=owner))
    refs = wanted(view, POLICY, NOW, Asked(node="gpu-1")).refs
    assert NodeRef("agent", "gpu-1") in refs
    assert NodeRef("agent", "gpu-2") not in refs
    assert LogRef("llm", "glm-0", "vllm") in refs
    assert [ref for ref in wanted(view, POLICY, NOW, Asked()).refs if isinstance(ref, ObjectRef)] == [
        ObjectRef("Pod", "llm", "glm-0")
    ]


def test_a_large_fleet_is_not_looked_up_pod_by_pod() -> None:
    nodes = [a_fit_node(f"gpu-{place}") for place in range(60)]
    pods = [an_engine(f"e-{place}", node=f"gpu-{place}") for place in range(60)]
    refs = wanted(a_stack_view(*nodes, *pods), POLICY, NOW, Asked()).refs
    assert sum(isinstance(ref, ObjectRef) for ref in refs) == WHOLE_PODS


def test_nothing_is_wanted_where_there_is_no_gpu_node() -> None:
    assert not wanted(a_stack_view(a_cpu_node()), POLICY, NOW, Asked())
