"""Real trouble by its case folders: what is broken fires, and healthy clusters full of look-alikes raise no alarm."""

import re
from functools import cache

import pytest

from bot.checks.collect import checks
from bot.checks.finding import Finding, Severity, State
from bot.checks.look import fleet_scene
from bot.checks.run import run
from tests.checks.building import of_case

CHECKS = checks()


@cache
def findings(case: str) -> list[Finding]:
    seen = of_case(case)
    first = seen[0]
    fleet = fleet_scene(first.view, first.policy, first.evidence, now=first.now, seen=seen)
    return [finding for scene in (*seen, fleet) for finding in run(scene, CHECKS)]


def text(found: list[Finding]) -> str:
    """What a person would read of those that fire."""
    lines = [
        part
        for one in found
        if one.state is State.FIRING
        for part in (one.sentence, *one.evidence, *(f"{remedy.action} {remedy.command}" for remedy in one.remedies))
    ]
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("case", ["OK1", "OK2", "OK3"])
def test_a_healthy_cluster_raises_no_alarm(case: str) -> None:
    found = findings(case)
    assert [one.sentence for one in found if one.alarming] == []
    assert [one.missing for one in found if any("itself failed" in part for part in one.missing)] == []
    noted = " ".join(one.sentence for one in found if one.state is State.FIRING)
    assert not re.search(r"kubectl (?:cordon|drain)|--gpu-reset|RMA|replaced", noted)


@pytest.mark.parametrize("case", ["OK1", "OK2", "OK3"])
def test_what_only_is_noted_there_gives_no_advice_to_touch_a_node(case: str) -> None:
    assert not re.search(
        r"kubectl (?:cordon|drain|uncordon)|--gpu-reset|\breboot\b", text(findings(case)), re.IGNORECASE
    )


@pytest.mark.parametrize(
    ("case", "check", "says"),
    [
        pytest.param(
            "D02", "mig.layout", ["gpu-a", "mig.config.state` is `pending", "paused-for-mig-change"], id="MIG"
        ),
        pytest.param("D04", "plugin.unhealthy", ["7 of its 8", "Xid 94", "Only then restart"], id="one GPU unhealthy"),
        pytest.param("D05", "pods.rejected", ["gpu-a", "554", "kubectl cordon gpu-a"], id="every pod rejected"),
        pytest.param("D09", "plugin.unregistered", ["gpu-x1", "offers no nvidia.com/gpu"], id="joined without GPU"),
        pytest.param("D22", "driver.missing", ["gpu-a", "driver installation is disabled"], id="no driver installed"),
        pytest.param("D24", "driver.mismatch", ["580.105.08", "580.95.05", "Reboot gpu-a"], id="library and module"),
        pytest.param("D25", "fabric.manager", ["gpu-a", "fabric manager does not run"], id="no fabric manager"),
        pytest.param("D29", "pods.broken_engine", ["llm/glm-0", "illegal memory access"], id="ready and broken"),
        pytest.param("D35", "driver.hangs", ["Xid 120 and 119", "killed", "kubectl cordon gpu-a", "Reboot"], id="GSP"),
        pytest.param(
            "D36", "heat.power_brake", ["gpu-a's GPU 2", "3 of 3 samples", "power supplies"], id="power brake"
        ),
        pytest.param(
            "D37", "memory.remap_failed", ["gpu-a's GPU 3", "replaced", "kubectl cordon gpu-a"], id="no spare"
        ),
        pytest.param("D40", "driver.upgrade", ["dev/tool-0", "own-dcgm-exporter"], id="upgrade held up"),
    ],
)
def test_a_node_fault_fires(case: str, check: str, says: list[str]) -> None:
    found = [one for one in findings(case) if one.check == check and one.alarming]
    assert found
    assert [part for part in says if part not in text(found)] == []


def test_a_power_cap_is_none_and_one_moment_of_power_brake_is_none() -> None:
    found = [one for one in findings("D36") if one.alarming]
    assert {(one.subject.node, one.subject.gpu, one.check) for one in found} == {("gpu-a", 2, "heat.power_brake")}


def test_a_row_that_was_repaired_is_only_noted() -> None:
    found = {
        (one.subject.gpu, one.severity) for one in findings("D37") if one.check.startswith("memory.") and fires(one)
    }
    assert found == {(3, Severity.CRITICAL), (5, Severity.INFO)}


def test_no_xid_of_a_program_blames_the_gpu() -> None:
    assert [one.sentence for one in findings("D29") if one.alarming and one.check.startswith(("gpu.", "memory."))] == []


def test_cards_that_a_plugin_cuts_into_parts_are_not_oversold() -> None:
    assert not [one for one in findings("gpu-25-hami-instead") if one.check == "gpu.oversold" and one.alarming]


def fires(one: Finding) -> bool:
    return one.state is State.FIRING
