"""A node as a subject: up, down, cordoned, pressed, and well."""

from typing import Any

import pytest

from bot.domain.node import Condition
from bot.domain.view import View
from bot.why.finding import Finding, Level
from bot.why.stages.node import STAGE
from tests.factories import READY, a_cpu_node, a_node, a_pod, a_taint
from tests.why.builders_stack import (
    a_silent_node,
    a_stack_pod,
    a_stack_view,
    asked,
    at,
    crashing,
    evidence,
    kernel,
    told,
)


def found(view: View, word: str = "gpu-1", **given: Any) -> dict[str, Finding]:
    return {one.id: one for one in STAGE.judge(asked(view, word, evidence(**given)))}


@pytest.mark.parametrize(
    ("status", "id_", "words"),
    [
        pytest.param("False", "node.not_ready", "its kubelet says it is not ready 1 h ago", id="the kubelet says no"),
        pytest.param("Unknown", "node.silent", "its kubelet has stopped reporting 1 h ago", id="nobody hears of it"),
    ],
)
def test_a_node_that_is_down(status: str, id_: str, words: str) -> None:
    down = Condition("Ready", status, "KubeletNotReady", "PLEG is not healthy", at(hours=1))
    finding = found(a_stack_view(a_node(conditions=(down,))))[id_]
    assert finding.level is Level.CAUSE
    assert words in finding.sentence
    assert "PLEG is not healthy" in finding.evidence[0]


def test_a_node_that_never_reported() -> None:
    assert "never reported" in found(a_stack_view(a_node(conditions=())))["node.silent"].evidence[0]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        pytest.param({"cordoned_by": "kubectl-cordon"}, "cordoned by a person with kubectl", id="by a person"),
        pytest.param(
            {"more_labels": {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}},
            "cordoned by the driver upgrade (drain-required)",
            id="by the driver upgrade",
        ),
        pytest.param(
            {"taints": (a_taint("karpenter.sh/disrupted:NoSchedule"),)}, "Karpenter is replacing", id="by Karpenter"
        ),
        pytest.param({}, "nothing on it tells by whom", id="by nobody known"),
    ],
)
def test_a_cordoned_node(changed: dict[str, Any], words: str) -> None:
    finding = found(a_stack_view(a_node(unschedulable=True, **changed)))["node.cordoned"]
    assert finding.level is Level.CAUSE
    assert words in finding.sentence
    upgraded = "driver upgrade" in words  # its operator uncordons it
    assert [one.command for one in finding.remedies] == ([] if upgraded else ["kubectl uncordon gpu-1"])
    assert bool(finding.until) is upgraded


def test_pressure_stands_beside() -> None:
    pressed = Condition("DiskPressure", "True", "KubeletHasDiskPressure", "disk is full", at(minutes=5))
    finding = found(a_stack_view(a_node(conditions=(READY, pressed))))["node.pressure"]
    assert finding.level is Level.ALSO
    assert "DiskPressure 5 min ago" in finding.sentence


@pytest.mark.parametrize(
    ("taint", "told"),
    [
        pytest.param("dedicated=train:NoSchedule", True, id="a reservation"),
        pytest.param("nvidia.com/gpu=present:NoSchedule", False, id="the usual taint of GPU nodes"),
        pytest.param("dedicated=train:PreferNoSchedule", False, id="one that only sways"),
        pytest.param("node.kubernetes.io/unschedulable:NoSchedule", False, id="what a cordon sets"),
    ],
)
def test_taints_worth_knowing(taint: str, told: bool) -> None:
    assert ("node.tainted" in found(a_stack_view(a_node(taints=(a_taint(taint),))))) is told


def test_a_healthy_node_says_so_with_its_evidence() -> None:
    view = a_stack_view(a_node(gpus=8), a_pod(gpus=6), a_stack_pod("nvidia-device-plugin-x"))
    lines = kernel("NVRM: Xid (PCI:0000:3b:00): 13, pid=1, name=python3, Graphics Exception")
    findings = found(view, kernels={"gpu-1": lines})
    account = findings.pop("node.account")
    assert findings == {}
    assert account.level is Level.NOTE
    assert account.sentence == "Nothing is wrong with gpu-1's GPUs: it offers 8 H200, 6 used; 2 pods on it"
    assert "device plugin" in " ".join(account.evidence)
    assert "the program's, not the GPU's" in " ".join(account.evidence)
    assert account.groups[0].lines == ("llm/glm-0: 6 GPUs",)


def test_a_node_with_a_fault_is_not_called_well() -> None:
    account = found(a_stack_view(a_node(gpus=8, healthy=7)))["node.account"]
    assert account.sentence == "gpu-1 offers 7 of 8 H200, 0 used; 0 pods on it"
    assert account.evidence == ()


def test_a_node_without_gpus() -> None:
    assert found(a_stack_view(a_cpu_node()), "cpu-1")["node.account"].sentence == "cpu-1 has no GPUs; 0 pods on it"


@pytest.mark.parametrize(
    "node",
    [
        pytest.param(
            a_silent_node(labels={"nvidia.com/gpu.count": "many", "nvidia.com/mig.config.state": "?"}), id="odd labels"
        ),
        pytest.param(a_node(conditions=(Condition("Ready", "Perhaps", since="yesterday"),)), id="odd conditions"),
        pytest.param(a_node(created="not a time", capacity={}, allocatable={}), id="no room and no time"),
    ],
)
def test_odd_nodes_raise_nothing(node: Any) -> None:
    assert "node.account" in found(a_stack_view(node))


def test_a_pod_is_no_business_of_this_stage() -> None:
    assert found(a_stack_view(a_node(), a_pod()), "glm-0") == {}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        pytest.param(
            {"taints": (a_taint("karpenter.sh/disrupted:NoSchedule"),)}, "Karpenter is removing it", id="taint"
        ),
        pytest.param({"deleted": at(minutes=2)}, "it is being deleted", id="its object is deleted"),
        pytest.param(
            {
                "taints": (a_taint("cloud.google.com/impending-node-termination:NoSchedule"),),
                "more_labels": {"cloud.google.com/gke-spot": "true"},
            },
            "its provider is taking it back (a spot node)",
            id="a spot node that is taken back",
        ),
    ],
)
def test_a_node_that_goes_away_is_no_fault(changed: dict[str, Any], words: str) -> None:
    findings = found(a_stack_view(a_node(**changed)))
    assert findings["node.leaving"].level is Level.CAUSE
    assert words in findings["node.leaving"].sentence
    assert findings["node.leaving"].remedies == ()
    assert "node.tainted" not in findings
    assert "Nothing is wrong" not in findings["node.account"].sentence


def test_an_event_of_the_provider_tells_too() -> None:
    node = a_node()
    view = a_stack_view(node, told(node, "SpotInterrupted", "Spot interruption warning was triggered"))
    assert "taking it back" in found(view)["node.leaving"].sentence


def test_gpus_for_virtual_machines_are_told_as_such() -> None:
    labels = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.workload.config": "vm-passthrough"}
    findings = found(a_stack_view(a_silent_node(labels=labels)))
    assert set(findings) == {"node.account"}
    assert "hands its GPUs to virtual machines" in findings["node.account"].sentence


@pytest.mark.parametrize(
    ("code", "words"),
    [
        pytest.param("43", "the program's, not the GPU's", id="a program's own error"),
        pytest.param("63", "asks for no repair", id="a row put aside"),
        pytest.param("145", "asks for no repair", id="a nonfatal event of a link"),
    ],
)
def test_a_kernel_log_without_a_fault_is_proof(code: str, words: str) -> None:
    lines = kernel(f"NVRM: Xid (PCI:0000:3b:00): {code}, RLW_REMAP Nonfatal XC0 i0 Link 08")
    account = found(a_stack_view(a_node()), kernels={"gpu-1": lines})["node.account"]
    assert words in " ".join(account.evidence)


def test_an_exporter_that_crashes_takes_nothing_from_the_gpus() -> None:
    exporter = a_stack_pod("dcgm-exporter-x", image="dcgm-exporter:4", state=crashing())
    account = found(a_stack_view(a_node(), exporter))["node.account"]
    assert account.sentence.startswith("Nothing is wrong")
    assert "not ready there: gpu/dcgm-exporter-x, which only watches" in " ".join(account.evidence)
