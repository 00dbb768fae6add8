"""What would come of another number of replicas: sums, nodes, who goes, what is in flight."""

import itertools
from typing import Any

import pytest

from bot.domain.pod import Pod
from bot.scaling.like import renamed
from bot.scaling.more import Up
from bot.scaling.scores import Scores, looked_at
from bot.scaling.verdict import verdict
from bot.scheduling.evaluate import evaluate
from bot.scheduling.state import State
from tests.scaling.building import Object, evidence, node, pod, previewed, running, view_of

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
OWN = {"labelSelector": {"matchLabels": {"app": "glm"}}}
SPREAD = {
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", **OWN}]
}
APART = {
    "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": HOST, **OWN}]}}
}


def _fleet(number: int, **changed: Any) -> list[Object]:
    return [node(f"gpu-{index}", labels={ZONE: f"zone-{index % 2}"}, **changed) for index in range(1, number + 1)]


def _up(*objects: Object, wanted: int) -> Up:
    up = previewed(view_of(*objects), wanted).up
    assert up is not None
    assert up.starts + up.hangs + up.waits + up.refused == up.added
    return up


@pytest.mark.parametrize(
    ("spec", "gpus", "wanted", "starts"),
    [
        pytest.param({}, 4, 6, 5, id="all fit"),
        pytest.param({}, 4, 9, 7, id="eight fours are all there is"),
        pytest.param({}, 5, 9, 3, id="pieces are too small"),
        pytest.param(APART, 1, 6, 3, id="one on each node"),
        pytest.param(SPREAD, 4, 9, 7, id="spreading over zones that are alike"),
        pytest.param({"nodeSelector": {"pool": "none"}}, 1, 3, 0, id="no such node"),
        pytest.param({"containers": []}, 1, 3, 2, id="asks for nothing"),
    ],
)
def test_as_many_start_as_find_a_place(spec: dict[str, Any], gpus: int, wanted: int, starts: int) -> None:
    up = _up(*_fleet(4), *running(["gpu-1"], gpus=gpus, **spec), wanted=wanted)
    assert up.starts == starts
    assert up.waits == wanted - 1 - starts
    assert (up.stuck is None) == (up.waits == 0)


PORT = {"containers": [{"name": "engine", "image": "x", "ports": [{"containerPort": 80, "hostPort": 80}]}]}


@pytest.mark.parametrize(("spec", "gpus"), [({}, 3), (APART, 1), (SPREAD, 2), (PORT, 0)])
def test_looking_again_only_at_what_changed_finds_what_looking_at_all_finds(spec: dict[str, Any], gpus: int) -> None:
    """The same replicas, each judged anew by every filter on every node."""
    view = view_of(*_fleet(5, cpu="40"), *running(["gpu-1", "gpu-2"], gpus=gpus, **spec))
    up = previewed(view, 30).up
    assert up is not None
    state, sample = State(view), up.like.first
    for number, node_name in enumerate(up.placing.nodes):
        told = evaluate(_named(sample, number), state)
        assert node_name in told.feasible
        state = state.with_pod(_named(sample, number), node_name)
    assert not evaluate(_named(sample, 99), state).feasible


def _named(sample: Pod, number: int) -> Pod:
    return renamed(sample, f"new-{number}", None)


def test_pods_of_lower_priority_make_room_one_node_after_the_other() -> None:
    low = running(["gpu-1", "gpu-2", "gpu-3"], name="low", gpus=8)
    high = running([], gpus=8, priority=100)
    up = _up(*_fleet(3), *low, *high, wanted=4)
    assert up.starts == 3
    assert sorted(pod.name for pod in up.placing.evicted) == ["low-abc-0", "low-abc-1", "low-abc-2"]
    assert up.waits == 1


def test_who_may_not_preempt_waits() -> None:
    low = running(["gpu-1"], name="low", gpus=8)
    up = _up(*_fleet(1), *low, *running([], gpus=8, priority=100, preemptionPolicy="Never"), wanted=1)
    assert (up.starts, up.waits) == (0, 1)


# ---- the scheduler's preference --------------------------------------------------------------------------------------


def _scores(*objects: Object, gpus: int = 1, others: list[Pod] | None = None, **spec: Any) -> list[str]:
    view = view_of(*objects, *running(["gpu-1"], gpus=gpus, **spec))
    sample = next(pod for pod in view.pods.values() if pod.name == "glm-abc-0")
    infos = [info for info in State(view).infos() if info.node.name != "gpu-1"]
    return Scores(sample, others or []).best(infos)


def test_of_two_nodes_the_emptier_is_preferred() -> None:
    busy = running(["gpu-2"] * 5, name="busy")
    assert _scores(node("gpu-1"), node("gpu-2"), node("gpu-3"), *busy) == ["gpu-3"]


def test_gpus_do_not_count_in_that() -> None:
    assert _scores(node("gpu-1"), node("gpu-2", gpus=2), node("gpu-3", gpus=8)) == ["gpu-2", "gpu-3"]


def test_a_soft_taint_counts_against_a_node() -> None:
    soft = {"taints": [{"key": "old", "effect": "PreferNoSchedule"}]}
    assert _scores(node("gpu-1"), node("gpu-2", **soft), node("gpu-3")) == ["gpu-3"]


def test_its_own_kind_is_avoided_even_without_a_wish() -> None:
    sibling = Pod(name="glm-abc-9", namespace="llm", node="gpu-2")
    assert _scores(node("gpu-1"), node("gpu-2"), node("gpu-3"), others=[sibling]) == ["gpu-3"]


@pytest.mark.parametrize(("nodes", "part"), [(50, 50), (99, 99), (100, 100), (5000, 500), (1000, 420)])
def test_of_a_large_cluster_the_scheduler_looks_at_a_part(nodes: int, part: int) -> None:
    assert looked_at(nodes) == part


# ---- fewer -----------------------------------------------------------------------------------------------------------


def _goes(pods: list[Object], wanted: int, *seen: Object) -> list[str]:
    down = previewed(view_of(*_fleet(4), *pods), wanted, evidence(*seen)).down
    assert down is not None
    return [pod.name for pod in down.leaving.pods]


def _three(**second: Any) -> list[Object]:
    top = running(["gpu-1", "gpu-2", "gpu-3"])
    made = {"ready": True, **second}
    on = made.pop("on", "gpu-2")
    top[3] = pod(top[1], "glm-abc-1", on, **made)
    return top


OLD, YOUNG = "2026-11-01T00:00:00Z", "2026-11-30T11:00:00Z"


def _cheap(objects: list[Object], cost: str) -> list[Object]:
    whole = objects[2:]
    whole[1]["metadata"]["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost}
    return whole


def test_a_pod_without_a_node_goes_first() -> None:
    assert _goes(_three(on=""), 2) == ["glm-abc-1"]


def test_then_one_that_is_not_ready() -> None:
    assert _goes(_three(ready=False), 2) == ["glm-abc-1"]


def test_then_the_one_with_the_lowest_deletion_cost() -> None:
    pods = _three()
    assert _goes(pods, 2, *_cheap(pods, "-3")) == ["glm-abc-1"]


@pytest.mark.parametrize("cost", ["many", "1e9", "", "-", "999999999999999999"])
def test_a_cost_that_is_no_number_is_none(cost: str) -> None:
    pods = _three(creationTimestamp=OLD)
    assert "glm-abc-1" not in _goes(pods, 2, *_cheap(pods, cost)[1:2])


def test_then_one_that_shares_its_node_with_another() -> None:
    assert _goes(_three(on="gpu-3", creationTimestamp=OLD), 2)[0] in ("glm-abc-1", "glm-abc-2")


def test_then_the_youngest() -> None:
    assert _goes(_three(creationTimestamp=YOUNG), 2) == ["glm-abc-1"]


def test_the_order_is_sure_only_where_whole_pods_were_seen() -> None:
    pods = _three()
    sure = previewed(view_of(*_fleet(3), *pods), 2, evidence(*pods[2:])).down
    unsure = previewed(view_of(*_fleet(3), *pods), 2).down
    assert sure is not None
    assert sure.leaving.sure
    assert unsure is not None
    assert not unsure.leaving.sure


METRICS = """
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="glm-5"} 5.0
vllm:num_requests_running{engine="1",model_name="glm-5"} 2.0
vllm:num_requests_waiting{engine="0",model_name="glm-5"} 4.0
vllm:num_requests_running_total{engine="0"} 900.0
"""


@pytest.mark.parametrize(
    ("text", "running_", "queued"),
    [
        pytest.param(METRICS, 7, 4, id="vLLM with two engines"),
        pytest.param('sglang:num_running_reqs{a="b"} 3\nsglang:num_queue_reqs 1\n', 3, 1, id="SGLang"),
        pytest.param("tgi_batch_current_size 2\n", 2, 0, id="TGI"),
        pytest.param("vllm:num_requests_running NaN\n", None, None, id="no number"),
        pytest.param("vllm:num_requests_running -4\n", 0, 0, id="fewer than none"),
        pytest.param("vllm:num_requests_running 1e308\n", 0, 0, id="more than can be"),
        pytest.param("<html>502</html>", None, None, id="no metrics at all"),
    ],
)
def test_requests_in_flight_are_counted_on_the_pods_that_go(
    text: str, running_: int | None, queued: int | None
) -> None:
    pods = _three(ready=False)
    seen = evidence(*pods[2:], metrics={"glm-abc-1": text, "glm-abc-0": "vllm:num_requests_running 99\n"})
    down = previewed(view_of(*_fleet(3), *pods), 2, seen).down
    assert down is not None
    if running_ is None:
        assert down.flight.unseen == ("glm-abc-1",)
        assert not down.flight.known
    else:
        assert (down.flight.running, down.flight.queued) == (running_, queued)


# ---- what cannot be told ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["nodes", "pods"])
def test_what_was_not_read_is_no_answer(kind: str) -> None:
    told = previewed(view_of(*_fleet(2), *running(["gpu-1"]), unread=(kind,)), 2)
    assert "cannot be told" in verdict(told)
    assert kind in verdict(told)


def test_another_scheduler_has_its_own_rules() -> None:
    told = previewed(view_of(*_fleet(2), *running(["gpu-1"], schedulerName="volcano")), 2)
    assert "another scheduler (`volcano`)" in verdict(told)


def test_every_verdict_adds_up() -> None:
    for have, wanted, gpus in itertools.product((1, 3), (4, 8), (1, 4, 8)):
        _up(*_fleet(3), *running([f"gpu-{1 + index}" for index in range(have)], gpus=gpus), wanted=wanted)
