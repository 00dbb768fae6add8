"""The faults that a GPU node can have, each with the checks that tell it; and what only looks like one of them."""

from itertools import chain

import pytest

from bot.checks.collect import checks
from bot.checks.run import run
from bot.checks.scene import Scene
from bot.domain.pod import ContainerState
from tests.checks.building import a_scene, agent, an_engine, before, gpu, kernel, xid
from tests.factories import a_node, a_taint

FAULTS = {
    "a GPU fell off the bus": "gpu.lost gpu.count",
    "a memory error that could not be corrected": "memory.double_bit memory.uncorrected memory.sram",
    "a row waits to be remapped": "memory.remap_event memory.remap_pending",
    "no spare row is left": "memory.remap_failed memory.remapped_rows memory.unrepairable",
    "a contained memory error": "memory.contained",
    "an uncontained memory error": "memory.uncontained",
    "a memory error that was not recovered": "memory.unrecovered",
    "memory ages": "memory.many_corrected memory.corrected memory.retired_pages",
    "a program failed on a GPU": "pods.program_xid",
    "a program was cleaned up": "pods.cleanup_xid",
    "the firmware hangs": "driver.hangs",
    "a program does not give the GPU back": "gpu.context_timeout",
    "a controller halted": "gpu.halted",
    "an NVLink failed": "links.nvlink_error links.nvlink_errors links.nvlink_inactive",
    "an NVLink unit reports": "links.nvlink5_event",
    "the driver asks for a recovery": "gpu.recovery_action gpu.recovery_event gpu.reset_required",
    "fewer GPUs than there should be": "gpu.count",
    "the plugin calls a GPU unhealthy": "plugin.unhealthy",
    "library and module differ": "driver.mismatch",
    "no driver": "driver.missing driver.nvml",
    "old pods lost their access": "pods.lost_access pods.no_cuda",
    "the fabric manager is down": "fabric.manager fabric.state fabric.health",
    "heat": "heat.hw_thermal heat.sw_thermal heat.margin",
    "the power brake": "heat.power_brake",
    "a power limit below the default": "heat.power_limit",
    "PCIe is narrow or slow": "links.pcie_width links.pcie_generation links.pcie_replays",
    "the driver is wedged": "driver.hangs",
    "the board's flash is corrupted": "gpu.inforom gpu.board_flash",
    "pods are rejected at admission": "pods.rejected",
    "the plugin is absent or paused": "plugin.missing plugin.unregistered",
    "a MIG layout failed": "mig.layout mig.pending",
    "a driver upgrade stands still": "driver.upgrade",
    "operands wait for one that failed": "plugin.operand",
    "no runtime for GPUs": "plugin.runtime_handler",
    "image and driver do not fit": "pods.image_driver",
    "memory is held by nobody": "gpu.memory_held",
    "the exporter crashes": "plugin.exporter",
    "nobody tells": "node.agent_silent plugin.exporter_silent",
    "persistence mode is off": "driver.persistence",
    "one GPU is slower than its twins": "heat.slow_twin",
    "the node is going away": "node.leaving",
    "an NVSwitch failed": "links.nvswitch",
    "the driver went back a version": "driver.stepped_back",
    "drivers differ in a pool": "fleet.driver_differs",
    "more GPUs are offered than there are": "gpu.oversold",
    "a power cable": "gpu.power_cable",
    "the driver is out of support": "driver.support",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_its_checks(fault: str) -> None:
    assert set(FAULTS[fault].split()) <= {one.id for one in checks()}


def test_every_check_of_gpus_and_drivers_is_of_one_of_them() -> None:
    told = set(chain.from_iterable(checks.split() for checks in FAULTS.values()))
    families = ("gpu.", "memory.", "links.", "heat.", "fabric.", "driver.")
    others = {one.id for one in checks() if one.id.startswith(families)} - told
    assert others == {"gpu.other_xid", "memory.ecc_mode"}


# ---- what only looks like a fault ----------------------------------------------------------------------------------

PCIE = {"name": "NVIDIA L40S", "nvLinkState": None, "nvLinkErrorCounter": None, "gpuFabricInfo": None}
L40S = "NVIDIA-L40S"


def serving() -> Scene:
    """Eight GPUs that serve: 92 % of the memory, 650 of 700 W, power cap now and then, fabric mask as usual."""
    used = {"total": 150 * 2**30, "used": 138 * 2**30, "free": 12 * 2**30}
    busy = [
        gpu(index, memoryInfo=used, powerUsage=650_000, currentClocksEventReasons=0x4, utilizationRates={"gpu": 99})
        for index in range(8)
    ]
    ready = (ContainerState("vllm", ready=True),)
    return a_scene(*busy, log=kernel(), pods=[an_engine(gpus=8, states=ready)], earlier=before((60, busy)))


def programs(*codes: int) -> Scene:
    lines = [xid(code, ago=60 * (index + 1) * 5) for index, code in enumerate(codes)]
    return a_scene(gpu(0), log=kernel(*lines))


def warm() -> Scene:
    """Software slows the clocks for a moment; far from the limit."""
    hot = [gpu(0, currentClocksEventReasons=0x20, temperature=84, marginTemperature=6)]
    cool = [gpu(0)]
    return a_scene(*hot, earlier=before((60, cool), (30, hot)))


LOOK_ALIKES = [
    pytest.param(serving, id="a node that serves at 92 % of its memory and 650 W"),
    pytest.param(lambda: programs(13), id="Xid 13 of a program"),
    pytest.param(lambda: programs(31), id="Xid 31 of a program"),
    pytest.param(lambda: programs(43), id="Xid 43 of a program"),
    pytest.param(lambda: programs(13, 31, 43, 45), id="several of them on one GPU, of one program"),
    pytest.param(lambda: programs(63), id="a row that was put aside"),
    pytest.param(warm, id="a moment of thermal slowdown inside the limits"),
    pytest.param(
        lambda: a_scene(gpu(0, **PCIE), node=a_node("gpu-1", gpus=1, product=L40S)), id="no NVLink where there is none"
    ),
    pytest.param(
        lambda: a_scene(gpu(0, nvLinkState=[0, 0], name="NVIDIA L40S"), node=a_node("gpu-1", gpus=1, product=L40S)),
        id="links that are off on a board without any",
    ),
    pytest.param(
        lambda: a_scene(gpu(0, currPcieLinkGeneration=1, utilizationRates={"gpu": 0})), id="PCIe that rests while idle"
    ),
    pytest.param(lambda: a_scene(gpu(0, gpuFabricInfo={"healthMask": 0x412A})), id="a fabric mask that is not zero"),
    pytest.param(
        lambda: a_scene(
            gpu(0), node=a_node("gpu-1", gpus=1, taints=(a_taint("ToBeDeletedByClusterAutoscaler=1:NoSchedule"),))
        ),
        id="a node that the autoscaler takes away",
    ),
    pytest.param(
        lambda: a_scene(
            gpu(0), log=kernel((60, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.105.08  "))
        ),
        id="a driver that is loaded",
    ),
    pytest.param(lambda: a_scene(told=agent([gpu(0)], ago=20)), id="a reading of twenty seconds ago"),
]


@pytest.mark.parametrize("build", LOOK_ALIKES)
def test_look_alikes_alarm_nobody(build: object) -> None:
    scene = build()  # type: ignore[operator]
    alarming = [f"{one.check}: {one.sentence}" for one in run(scene, checks()) if one.alarming]
    assert alarming == []
