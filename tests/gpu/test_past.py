"""What nodes ran before: changes as they are told, who is believed, and which change was a step back."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from bot.domain.gpu_reading import GpuReading, NodeReading
from bot.domain.node_past import VALUES_AT_MOST, FleetPast, NodePast
from bot.gpu.past import AGENT, LABEL, LABEL_ALONE, Said, looked, moves, steps_back
from bot.gpu.past_told import told
from tests.factories import NOW, a_node

Told = Mapping[str, Said]


def seen(*rounds: Mapping[str, Said | str]) -> NodePast:
    """gpu-1 after these rounds, an hour apart, the last of them now."""
    past = FleetPast(cluster="test")
    for index, parts in enumerate(rounds):
        said = {part: Said(one, LABEL) if isinstance(one, str) else one for part, one in parts.items()}
        past, _ = looked(past, {"gpu-1": said}, NOW - timedelta(hours=len(rounds) - 1 - index))
    found = past.of("gpu-1")
    assert found
    return found


def values(past: NodePast, part: str = "driver") -> list[str]:
    return [one.value for one in past.parts.get(part, ())]


def test_a_change_ends_what_ran_before() -> None:
    past = seen({"driver": "580.82.07"}, {"driver": "580.95.05"})
    before, now = past.parts["driver"]
    assert (before.until, now.since, now.until) == (NOW, NOW, None)
    assert [(one.part, one.before.value, one.now.value) for one in moves(past)] == [
        ("driver", "580.82.07", "580.95.05")
    ]


def test_what_is_not_told_now_has_not_changed() -> None:
    assert values(seen({"driver": "580.82.07"}, {}, {"driver": ""}, {"driver": "580.82.07"})) == ["580.82.07"]


def test_only_nodes_on_which_something_changed_are_named() -> None:
    first, changed = looked(FleetPast(cluster="test"), {"a": {"driver": Said("1.0")}, "b": {}}, NOW)
    assert [one.node for one in changed] == ["a", "b"]
    again, changed = looked(first, {"a": {"driver": Said("1.0")}, "b": {"driver": Said("2.0")}}, NOW)
    assert [one.node for one in changed] == ["b"]
    assert again.since == NOW


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        pytest.param(
            [Said("580.95.05", AGENT), Said("570.172.08", LABEL)],
            ["580.95.05"],
            id="a label says nothing while the agent's word is minutes old",
        ),
        pytest.param(
            [Said("570.172.08", AGENT), Said("580.95.05", AGENT), Said("570.172.08", LABEL_ALONE)],
            ["570.172.08", "580.95.05"],
            id="a label that is left from before, beside a silent agent",
        ),
        pytest.param(
            [Said("570.172.08", AGENT), Said("580.95.05", LABEL_ALONE)],
            ["570.172.08", "580.95.05"],
            id="a label tells something new beside a silent agent",
        ),
        pytest.param(
            [Said("580.95.05", LABEL), Said("580.95.05", AGENT), Said("570.172.08", LABEL)],
            ["580.95.05"],
            id="the agent confirms the label and is believed from then on",
        ),
    ],
)
def test_who_is_believed(rounds: list[Said], expected: list[str]) -> None:
    assert values(seen(*({"driver": one} for one in rounds))) == expected


@pytest.mark.parametrize(
    ("drivers", "back"),
    [
        pytest.param(["580.95.05", "570.172.08"], "580.95.05", id="a branch back"),
        pytest.param(["580.95.05", "580.82.07"], "580.95.05", id="a version of one branch back"),
        pytest.param(["580.95.05", "570.172.08", "575.57.08"], "580.95.05", id="a part of the way since"),
        pytest.param(["570.172.08", "580.95.05"], None, id="forward"),
        pytest.param(["580.95.05", "570.172.08", "580.95.05"], None, id="back and mended"),
        pytest.param(["580.95.05", "latest"], None, id="what does not compare"),
        pytest.param(["580.95.05"], None, id="nothing changed"),
    ],
)
def test_a_step_back_is_a_version_older_than_one_before(drivers: list[str], back: str | None) -> None:
    found = steps_back(seen(*({"driver": one} for one in drivers)))
    assert [one.before.value for one in found] == ([back] if back else [])


def test_plugin_and_cuda_step_back_too_and_the_kubelet_does_not() -> None:
    new = {"driver": "580.95.05", "CUDA": "13.0", "plugin": "v0.20.0", "kubelet": "v1.36.3"}
    old = {"driver": "570.172.08", "CUDA": "12.8", "plugin": "v0.17.4-ubi9", "kubelet": "v1.35.0"}
    assert [one.part for one in steps_back(seen(new, old))] == ["driver", "CUDA", "plugin"]


def test_the_newest_versions_are_kept() -> None:
    past = seen(*({"driver": f"580.{number}"} for number in range(VALUES_AT_MOST + 5)))
    assert len(values(past)) == VALUES_AT_MOST
    assert values(past)[-1] == f"580.{VALUES_AT_MOST + 4}"


def test_a_node_tells_by_its_agent_its_labels_its_images_and_its_kubelet() -> None:
    labels = {"nvidia.com/cuda.driver-version.full": "570.172.08", "nvidia.com/cuda.runtime-version.full": "12.8"}
    node = a_node(gpus=8, more_labels=labels, kubelet_version="v1.36.3", kernel_version="6.8.0-88")
    read = NodeReading(
        node="gpu-1",
        driver_version="580.95.05",
        cuda_version=(13, 0),
        gpus=tuple(GpuReading(index=at) for at in range(7)),
    )
    both = told(node, {"plugin": "v0.20.0"}, read, asked=True)
    assert both["driver"] == Said("580.95.05", AGENT)
    assert both["GPUs"] == Said("7", AGENT)
    assert both["product"] == Said("H200", LABEL)
    assert (both["plugin"].value, both["kubelet"].value, both["kernel"].value) == ("v0.20.0", "v1.36.3", "6.8.0-88")
    assert told(node, {}, None, asked=True)["driver"] == Said("570.172.08", LABEL_ALONE)
    assert told(node, {}, None, asked=False)["CUDA"] == Said("12.8", LABEL)
