"""A leftover `nvidia.com/gpu: 0` in front of devices that a DRA driver offers under that name."""

from typing import Any

import pytest

from bot.domain.dra import DeviceClass
from bot.domain.node import Condition, Node
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.why.finding import Finding, Level
from bot.why.stages.leftover_resource import STAGE
from tests.factories import a_claim, a_node, a_pod, a_slice
from tests.why.builders_stack import GPU, a_stack_view, asked

CLASS = DeviceClass(name="gpu.nvidia.com", extended_resource=GPU)


def a_left_node(**changed: Any) -> Node:
    return a_node("gpu-1", **({"gpus": 0, "product": "", "kubelet_version": "v1.34.2"} | changed))


def waits(message: str = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.", gpus: int = 4) -> Pod:
    return a_pod(node="", gpus=gpus, conditions=(Condition("PodScheduled", "False", "Unschedulable", message),))


def found(*records: Any, classed: bool = True) -> list[Finding]:
    view: View = a_stack_view(*records)
    if classed:
        view.put("deviceclasses", CLASS.name, CLASS)
    return list(STAGE.judge(asked(view, "glm-0")))


def test_the_leftover_is_told_with_what_it_hides() -> None:
    finding = found(a_left_node(), a_slice("gpu-1", 8), waits())[0]
    assert (finding.id, finding.level) == ("leftover_resource.zero", Level.CAUSE)
    assert "gpu-1 has 8 DRA devices free for `nvidia.com/gpu`" in finding.sentence
    assert "`nvidia.com/gpu: 0`" in finding.sentence
    assert "1.34" in finding.sentence
    assert '"path":"/status/allocatable/nvidia.com~1gpu"' in finding.remedies[0].command
    assert "kubectl patch node gpu-1 --subresource=status" in finding.remedies[0].command


HELD = a_claim("c", *(("gpu-1", f"gpu-{number}") for number in range(6)), pod="x")


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((a_left_node(kubelet_version="v1.35.0"), a_slice("gpu-1", 8), waits()), id="0 counts as absent"),
        pytest.param((a_left_node(), a_slice("gpu-1", 2), waits()), id="too few devices"),
        pytest.param((a_left_node(), a_slice("gpu-1", 8), HELD, waits()), id="too few are free"),
        pytest.param((a_left_node(), waits()), id="no devices"),
        pytest.param((a_left_node(), a_slice("gpu-1", 8), waits("1 node(s) had taints")), id="another reason"),
        pytest.param((a_node("gpu-1", gpus=8), a_slice("gpu-1", 8), waits()), id="the plugin still offers them"),
        pytest.param(
            (a_left_node(capacity={}, allocatable={"cpu": 9}), a_slice("gpu-1", 8), waits()), id="no leftover"
        ),
        pytest.param((a_left_node(), a_slice("gpu-1", 8), waits(gpus=0)), id="a pod without GPUs"),
    ],
)
def test_nothing_to_say(records: tuple[Any, ...]) -> None:
    assert found(*records) == []


def test_without_a_class_for_that_name_the_devices_are_only_for_claims() -> None:
    assert found(a_left_node(), a_slice("gpu-1", 8), waits(), classed=False) == []
