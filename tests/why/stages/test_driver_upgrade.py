"""A driver upgrade that waits for pods which it does not evict, one that failed, one that runs."""

from typing import Any

import pytest

from bot.domain.evidence import Evidence
from bot.domain.node import Node
from bot.domain.pod import Container, Pod
from bot.domain.pod_spec import PodSpec
from bot.domain.record import Owner
from bot.domain.view import View
from bot.why.finding import Finding, Level
from bot.why.stages.driver_upgrade import STAGE
from tests.factories import a_pod
from tests.why.builders_stack import (
    a_daemonset,
    a_silent_node,
    a_stack_pod,
    a_stack_view,
    asked,
    crashing,
    evidence,
    told,
)

STATE = "nvidia.com/gpu-driver-upgrade-state"
DRIVER = a_stack_pod(
    "nvidia-driver-daemonset-x", image="nvcr.io/nvidia/driver:580", state=crashing("k8s-driver-manager", 40)
)
IN_USE = evidence(
    {
        "gpu/nvidia-driver-daemonset-x/k8s-driver-manager": "Could not unload NVIDIA driver kernel modules, driver is in use"
    }
)
SEES_ALL = (Container("t", visible_devices="all"),)
TOOL = a_pod("tool-0", gpus=0, namespace="dev", runtime_class="nvidia", containers=SEES_ALL)


def node(state: str = "upgrade-required", **changed: Any) -> Node:
    labels = {"nvidia.com/gpu.present": "true", STATE: state, "kubernetes.io/hostname": "host-1"}
    return a_silent_node(labels=labels, **changed)


def found(view: View, word: str = "nvidia-driver-daemonset-x", given: Evidence = IN_USE) -> list[Finding]:
    return list(STAGE.judge(asked(view, word, given)))


def test_who_holds_the_driver_without_a_request() -> None:
    exporter = a_pod(
        "own-dcgm-exporter-z",
        gpus=0,
        namespace="monitoring",
        runtime_class="nvidia",
        owner=Owner("DaemonSet", "own-dcgm-exporter", "uid-e"),
    )
    daemonset = a_daemonset("own-dcgm-exporter", "dcgm-exporter:4", "monitoring")
    finding = found(a_stack_view(node(), DRIVER, TOOL, exporter, daemonset))[0]
    assert (finding.id, finding.level) == ("driver_upgrade.driver_in_use", Level.ROOT)
    assert "dev/tool-0 and monitoring/own-dcgm-exporter-z hold the old one without a GPU request" in finding.sentence
    assert "driver is in use" in finding.evidence[0]
    assert "restarted 40 times" in finding.evidence[1]
    assert finding.remedies[0].command == "kubectl -n dev delete pod tool-0"
    assert "patch daemonset own-dcgm-exporter" in finding.remedies[1].command
    assert '"values":["host-1"]' in finding.remedies[1].command
    assert "DaemonSet pods" in finding.useless[0]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(a_pod("web-0", gpus=0), id="a pod without the runtime"),
        pytest.param(a_pod("glm-0", gpus=1, runtime_class="nvidia"), id="a pod that asks for a GPU is evicted"),
        pytest.param(
            a_pod("hidden-0", gpus=0, containers=(Container("c", visible_devices="void"),)), id="devices hidden"
        ),
        pytest.param(a_pod("done-0", gpus=0, runtime_class="nvidia", phase="Succeeded"), id="a pod that has ended"),
        pytest.param(
            a_pod(
                "nvidia-dcgm-exporter-x",
                gpus=0,
                runtime_class="nvidia",
                spec=PodSpec(node_selector={"nvidia.com/gpu.deploy.dcgm-exporter": "true"}),
            ),
            id="a part that the operator stops by itself",
        ),
        pytest.param(
            a_pod(
                "nvidia-cuda-validator-x",
                gpus=0,
                runtime_class="nvidia",
                owner=Owner("ClusterPolicy", "cluster-policy"),
            ),
            id="the operator's own validator",
        ),
    ],
)
def test_these_hold_nothing_behind_the_upgrades_back(other: Pod) -> None:
    finding = found(a_stack_view(node(), DRIVER, TOOL, other))[0]
    assert other.name not in finding.sentence
    assert other.key not in " ".join(finding.evidence)


def test_nobody_shows_who_holds_it() -> None:
    finding = found(a_stack_view(node(), DRIVER))[0]
    assert "something that no pod shows" in finding.sentence
    assert "who holds the module" in finding.unknown[0]


def test_a_failed_upgrade_stays_until_somebody_starts_it_again() -> None:
    failed = node("upgrade-failed")
    event = told(failed, "GPUDriverUpgrade", "Failed to drain node")
    finding = found(a_stack_view(failed, event), "gpu-1", Evidence())[0]
    assert (finding.id, finding.level) == ("driver_upgrade.driver_upgrade_failed", Level.CAUSE)
    assert "Failed to drain node" in " ".join(finding.evidence)
    assert f"{STATE}=upgrade-required" in finding.remedies[-1].command


def test_an_upgrade_under_way_is_only_told_with_its_end() -> None:
    finding = found(a_stack_view(node("drain-required", unschedulable=True)), "gpu-1", Evidence())[0]
    assert (finding.id, finding.level) == ("driver_upgrade.driver_upgrade_runs", Level.NOTE)
    assert "upgrade-done" in finding.until


@pytest.mark.parametrize("state", ["upgrade-required", "upgrade-done", "", "nonsense"])
def test_states_that_say_nothing(state: str) -> None:
    assert found(a_stack_view(node(state)), "gpu-1", Evidence()) == []


def test_a_pod_that_may_not_be_evicted_blocks_it() -> None:
    line = "error when evicting pods: Cannot evict pod as it would violate the pod's disruption budget."
    given = evidence({"gpu/nvidia-driver-daemonset-x/k8s-driver-manager": line})
    finding = found(a_stack_view(node("drain-required"), DRIVER, a_pod("glm-0")), given=given)[0]
    assert finding.id == "driver_upgrade.driver_upgrade_blocked"
    assert "could not be evicted" in finding.sentence
    assert "llm/glm-0" in finding.evidence[1]
