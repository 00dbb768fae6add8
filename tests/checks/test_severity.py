"""How bad it is, where one check has more than one answer."""

import pytest

from bot.checks import xid_groups
from bot.checks.collect import checks
from bot.checks.fabric.health import wrong
from bot.checks.finding import Finding, Severity, State
from bot.checks.held import per_minute
from bot.checks.limits import replays_per_minute
from bot.checks.run import run
from bot.checks.scene import Scene
from bot.gpu.xid_table import catalogue
from tests.checks.building import a_scene, agent, before, gpu, kernel, xid
from tests.checks.told.links import grown

BY_ID = {check.id: check for check in checks()}
CRITICAL, WARNING, INFO = Severity.CRITICAL, Severity.WARNING, Severity.INFO


def fired(scene: Scene, check: str) -> list[Finding]:
    return [one for one in run(scene, [BY_ID[check]]) if one.state is State.FIRING]


@pytest.mark.parametrize(
    ("action", "severity"),
    [
        pytest.param(0, None, id="nothing is asked for"),
        pytest.param(1, CRITICAL, id="a reset"),
        pytest.param(2, CRITICAL, id="a reboot"),
        pytest.param(3, WARNING, id="programs that use it with others end"),
        pytest.param(4, WARNING, id="a reset when convenient"),
        pytest.param(5, CRITICAL, id="the IMEX domain"),
        pytest.param(6, CRITICAL, id="the bus"),
        pytest.param(7, CRITICAL, id="the whole system"),
        pytest.param(9, WARNING, id="something that is not known here"),
    ],
)
def test_recovery_actions(action: int, severity: Severity | None) -> None:
    found = fired(a_scene(gpu(0, gpuRecoveryAction=action)), "gpu.recovery_action")
    assert [one.severity for one in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("mask", "says"),
    [
        pytest.param(0, [], id="nothing is supported"),
        pytest.param(0x412A, [], id="a mask that is not zero is normal"),
        pytest.param(0x4129, ["its bandwidth is degraded"], id="degraded bandwidth"),
        pytest.param(0x411A, ["a route is unhealthy"], id="a route"),
        pytest.param(0x4126, ["a route is being recovered"], id="route recovery"),
        pytest.param(0x416A, ["it recovers from an access that timed out"], id="access timeout"),
        pytest.param(0x452A, ["it has too few NVLinks"], id="configuration"),
        pytest.param(0x4F2A, ["its configuration is not right (15)"], id="a configuration that is not known here"),
        pytest.param(0x812A, ["fabric manager is not connected"], id="fabric manager"),
    ],
)
def test_fabric_health_masks(mask: int, says: list[str]) -> None:
    assert [words for words, _ in wrong(mask)] == says


@pytest.mark.parametrize(
    ("width", "severity"),
    [(12, WARNING), (8, CRITICAL), (1, CRITICAL)],
    ids=["some lanes are missing", "half of them", "nearly all"],
)
def test_pcie_width(width: int, severity: Severity) -> None:
    assert [one.severity for one in fired(a_scene(gpu(0, currPcieLinkWidth=width)), "links.pcie_width")] == [severity]


@pytest.mark.parametrize(
    ("rows", "severity"), [(0, None), (1, INFO), (63, INFO), (64, WARNING), (511, WARNING), (512, CRITICAL)]
)
def test_remapped_rows(rows: int, severity: Severity | None) -> None:
    found = fired(a_scene(gpu(0, remappedRows={"uncRows": rows})), "memory.remapped_rows")
    assert [one.severity for one in found] == ([severity] if severity else [])


def pending(**changed: object) -> dict[str, object]:
    return gpu(0, remappedRows={"isPending": 1}, **changed)


@pytest.mark.parametrize(
    ("scene", "severity"),
    [
        pytest.param(a_scene(pending()), WARNING, id="alone it can wait"),
        pytest.param(a_scene(pending(), log=kernel(xid(94))), CRITICAL, id="programs die of it"),
        pytest.param(a_scene(pending(), log=kernel(xid(94, bus="aa"))), WARNING, id="programs die on another GPU"),
        pytest.param(a_scene(pending(), earlier=before((8 * 86_400, [pending()]))), CRITICAL, id="it waited a week"),
    ],
)
def test_pending_remaps(scene: Scene, severity: Severity) -> None:
    assert [one.severity for one in fired(scene, "memory.remap_pending")] == [severity]


@pytest.mark.parametrize(
    ("generation", "lanes", "limit"), [(5, 16, 31), (4, 16, 16), (4, 8, 8), (3, 16, 8), (1, 16, 3), (9, 16, None)]
)
def test_replays_that_dcgm_allows(generation: int, lanes: int, limit: int | None) -> None:
    assert replays_per_minute(generation, lanes) == limit


def test_replays_ten_times_the_limit_are_critical() -> None:
    assert fired(grown("pcieReplayCounter", 0, 311), "links.pcie_replays")[0].severity is CRITICAL


def test_a_counter_that_was_set_back_counts_from_there() -> None:
    old, new = gpu(0, pcieReplayCounter=900), gpu(0, pcieReplayCounter=2)
    scene = a_scene(gpu(0, pcieReplayCounter=5), earlier=before((120, [old]), (60, [new])))
    assert per_minute(scene, scene.gpus[0], lambda one: one.pcie_replays) == 3.0


def test_one_reading_tells_no_rate() -> None:
    scene = a_scene(gpu(0, pcieReplayCounter=900))
    assert per_minute(scene, scene.gpus[0], lambda one: one.pcie_replays) is None


def test_an_nvlink_unit_that_says_nonfatal_is_only_noted() -> None:
    scene = a_scene(gpu(0), log=kernel(xid(149, text="NETIR_LINK_EVT Nonfatal XC0 i0 Link 08")))
    assert [one.severity for one in fired(scene, "links.nvlink5_event")] == [INFO]


def test_of_a_burst_only_the_first_of_the_hardware_fires() -> None:
    scene = a_scene(gpu(0), log=kernel(xid(31, ago=62), xid(48, ago=61), xid(63, ago=60), xid(45, ago=59)))
    found = [one for one in run(scene, checks()) if one.state is State.FIRING and "reported Xid" in one.sentence]
    assert [one.check for one in found] == ["memory.double_bit"]
    assert "Xid 31, 63 and 45 in the same burst: of these 48 is taken for the cause" in found[0].evidence


def test_minutes_of_silence_begin_another_burst() -> None:
    scene = a_scene(gpu(0), log=kernel(xid(48, ago=600), xid(63, ago=60)))
    assert len(scene.bursts) == 2
    assert [one.severity for one in fired(scene, "memory.remap_event")] == [INFO]


def test_an_xid_that_only_a_gauge_holds_is_no_critical_one() -> None:
    series = 'DCGM_FI_DEV_XID_ERRORS{gpu="0",UUID="GPU-0",pci_bus_id="00000000:18:00.0",Hostname="gpu-1"} 95\n'
    found = fired(a_scene(metrics=series), "memory.uncontained")
    assert [one.severity for one in found] == [WARNING]
    assert "at a time that nobody told" in found[0].sentence


def test_kernel_messages_without_it_make_a_gauges_xid_an_old_one() -> None:
    series = 'DCGM_FI_DEV_XID_ERRORS{gpu="0",UUID="GPU-0",pci_bus_id="00000000:18:00.0",Hostname="gpu-1"} 95\n'
    assert fired(a_scene(metrics=series, log=kernel()), "memory.uncontained") == []


def test_an_xid_of_the_agents_own_event_fires_too() -> None:
    event = {"code": 79, "busId": "00000000:18:00.0", "uuid": "GPU-00000000", "at": "2026-11-30T11:59:00Z"}
    found = fired(a_scene(told=agent([gpu(0)], xids=[event])), "gpu.lost")
    assert [(one.severity, one.subject.gpu) for one in found] == [(CRITICAL, 0)]


def test_what_a_product_does_not_support_is_not_unknown() -> None:
    card = gpu(0, name="NVIDIA L4", totalEccErrors=None, errors={"totalEccErrors": 3})
    assert [one.state for one in run(a_scene(card), [BY_ID["memory.uncorrected"]])] == [State.OK]


def test_a_gpu_that_was_not_told_of_is_unknown_and_the_others_are_judged() -> None:
    scene = a_scene(gpu(0, totalEccErrors=None), gpu(1, totalEccErrors={"volatile": {"uncorrected": 1}}))
    found = run(scene, [BY_ID["memory.uncorrected"]])
    assert [(one.state, one.subject.gpu) for one in found] == [(State.FIRING, 1), (State.UNKNOWN, 0)]


def test_a_driver_that_keeps_its_agent_waiting_hangs() -> None:
    words = "NVML on gpu-1 does not answer since 340 s (memoryInfo of GPU 3)"
    found = fired(a_scene(told=agent([gpu(0)], ago=340, trouble=words)), "driver.hangs")
    assert [one.sentence for one in found] == ["gpu-1's GPU driver does not answer its agent for 340 s"]
    assert fired(a_scene(told=agent([gpu(0)], trouble=words.replace("340", "20"))), "driver.hangs") == []


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(agent([gpu(0)], ago=600), id="an old reading"),
        pytest.param(agent([gpu(0)], trouble="NVML does not answer"), id="a reading from before the trouble"),
    ],
)
def test_what_was_well_before_is_not_well_now(told: str) -> None:
    found = run(a_scene(told=told), [BY_ID["memory.uncorrected"], BY_ID["heat.power_brake"], BY_ID["gpu.lost"]])
    assert {one.state for one in found} == {State.UNKNOWN}


def test_nvml_that_failed_once_may_be_a_moment() -> None:
    once = a_scene(told=agent([], error=999), earlier=before((60, [gpu(0)])))
    assert [one.severity for one in fired(once, "driver.nvml")] == [WARNING]


def test_every_xid_of_the_catalogue_has_its_check() -> None:
    for code in sorted(set(catalogue().entries) - xid_groups.FIRMWARE - xid_groups.RECOVERY):
        found = [
            one for one in run(a_scene(log=kernel(xid(code))), checks()) if f"reported Xid {code} " in one.sentence
        ]
        assert len(found) == 1, (code, [one.check for one in found])
