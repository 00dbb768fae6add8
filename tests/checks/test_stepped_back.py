"""A driver, CUDA or plugin that went back a version is told, with what ran out of memory since; nothing else is."""

from datetime import timedelta
from typing import Any

import pytest

from bot.checks.driver.stepped_back import CHECK
from bot.checks.finding import Finding, Severity, State
from bot.checks.run import run
from bot.checks.scene import Scene
from bot.domain.event import Event
from bot.domain.node_past import FleetPast, NodePast
from bot.domain.pod import ContainerState
from bot.gpu.past import Said, looked
from tests.checks.building import DRIVER, a_scene, agent, an_engine, gpu
from tests.factories import NOW, a_node

NEWER = "595.71.05"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.8 GiB"


def past(*rounds: tuple[float, dict[str, str]]) -> NodePast:
    """Hours ago, and what ran from then on."""
    found = FleetPast(cluster="test")
    for hours, parts in rounds:
        told = {part: Said(value, "agent") for part, value in parts.items()}
        found, _ = looked(found, {"gpu-1": told}, NOW - timedelta(hours=hours))
    return found.nodes["gpu-1"]


def judge(before: NodePast | None, **scene: Any) -> Finding:
    made = a_scene(gpu(0), **scene)
    made.past = before
    [found] = run(made, [CHECK])
    return found


def test_the_earlier_version_is_the_evidence() -> None:
    found = judge(past((100, {"driver": NEWER, "CUDA": "13.2"}), (48, {"driver": DRIVER, "CUDA": "13.0"})))
    assert (found.state, found.severity) == (State.FIRING, Severity.WARNING)
    assert found.sentence == f"gpu-1's driver went back from {NEWER} 2 d ago to {DRIVER}, CUDA from 13.2 to 13.0"
    assert found.evidence[0] == f"driver {NEWER} ran from 2026-11-26 08:00 to 2026-11-28 12:00, as it was seen here"
    assert found.at == NOW - timedelta(hours=48)


def test_a_plugin_that_went_back_names_where_its_version_is_asked_for() -> None:
    found = judge(past((9, {"driver": DRIVER, "plugin": "v0.20.0"}), (1, {"plugin": "v0.17.4"})))
    assert found.sentence == "gpu-1's plugin went back from v0.20.0 1 h ago to v0.17.4"
    assert [("daemonsets" in one.command) for one in found.remedies] == [True]


def test_what_is_read_now_counts_before_the_store_has_it() -> None:
    found = judge(past((9, {"driver": NEWER})))
    assert found.sentence == f"gpu-1's driver went back from {NEWER} 1.0 s ago to {DRIVER}"


@pytest.mark.parametrize(
    ("before", "state"),
    [
        pytest.param(past((9, {"driver": "570.172.08"}), (1, {"driver": DRIVER})), State.OK, id="forward"),
        pytest.param(past((9, {"driver": DRIVER})), State.OK, id="nothing changed"),
        pytest.param(
            past((9, {"driver": DRIVER}), (5, {"driver": "570.172.08"}), (1, {"driver": DRIVER})), State.OK, id="mended"
        ),
        pytest.param(
            past((9, {"driver": DRIVER, "kubelet": "v1.36.3"}), (1, {"kubelet": "v1.35.0"})), State.OK, id="a kubelet"
        ),
        pytest.param(None, State.UNKNOWN, id="nobody remembers"),
    ],
)
def test_look_alikes(before: NodePast | None, state: State) -> None:
    assert judge(before).state is state


def test_after_a_month_it_is_worth_knowing_only() -> None:
    found = judge(past((2000, {"driver": NEWER}), (24 * 31, {"driver": DRIVER})))
    assert found.severity is Severity.INFO


# ---- what ran out of memory since ----------------------------------------------------------------------------------

BACK = past((100, {"driver": NEWER}), (48, {"driver": DRIVER}))


def ago(hours: float) -> str:
    return (NOW - timedelta(hours=hours)).isoformat()


def with_log(hours: float) -> dict[str, Any]:
    at = NOW - timedelta(hours=hours)
    return {"logs": {an_engine(created=ago(90)): f"ERROR {at:%m-%d %H:%M:%S} [core.py:100] {OOM}\n"}}


def killed(created_hours: float) -> dict[str, Any]:
    state = ContainerState("vllm", restarts=3, terminated="OOMKilled", exit_code=137)
    return {"pods": [an_engine(created=ago(created_hours), states=(state,))]}


def event(hours: float) -> dict[str, Any]:
    told = Event(
        name="e",
        namespace="default",
        about_kind="Node",
        about_name="gpu-1",
        reason="OOMKilling",
        kind="Warning",
        message="Killed process 4242 (VLLM::EngineCor)",
        last=ago(hours),
    )
    return {"events": told}


def linked(**scene: Any) -> Finding:
    told = scene.pop("events", None)
    made: Scene = a_scene(told=agent([gpu(0)]), node=a_node("gpu-1", gpus=1), **scene)
    if told is not None:
        made.view.put("events", "default/e", told)
    made.past = BACK
    [found] = run(made, [CHECK])
    return found


@pytest.mark.parametrize(
    ("scene", "says"),
    [
        pytest.param(with_log(5), "llm/glm-0 ran out of GPU memory at 2026-11-30 07:00", id="an engine's log"),
        pytest.param(
            killed(20), "llm/glm-0 was killed for its memory (OOMKilled, 3 restarts so far)", id="a container"
        ),
        pytest.param(event(3), "gpu-1 at 2026-11-30 09:00: OOMKilling: Killed process 4242", id="the node's event"),
    ],
)
def test_what_ran_out_of_memory_afterwards_makes_it_urgent(scene: dict[str, Any], says: str) -> None:
    found = linked(**scene)
    assert found.severity is Severity.CRITICAL
    assert found.sentence.endswith("; since then a pod there ran out of memory")
    assert any(one.startswith(says) for one in found.evidence), found.evidence


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(with_log(60), id="a log from before"),
        pytest.param(killed(90), id="a container of a pod from before: when it was killed nobody told"),
        pytest.param(event(60), id="an event from before"),
    ],
)
def test_what_happened_before_is_not_put_down_to_it(scene: dict[str, Any]) -> None:
    assert linked(**scene).severity is Severity.WARNING
