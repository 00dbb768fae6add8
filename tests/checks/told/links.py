"""PCIe, NVLink, NVSwitch."""

from typing import Any

from bot.checks.finding import Severity
from bot.checks.scene import Scene
from tests.checks.building import Told, a_scene, before, gpu, kernel, xid


def one(**changed: Any) -> Scene:
    return a_scene(gpu(0, **changed))


def twice(**changed: Any) -> Scene:
    return a_scene(gpu(0, **changed), earlier=before((60, [gpu(0, **changed)])))


def grown(key: str, then: Any, now: Any, seconds: float = 60) -> Scene:
    return a_scene(gpu(0, **{key: now}), earlier=before((seconds, [gpu(0, **{key: then})])))


TOLD = {
    "pcie_width": Told(
        "gpu-1's GPU 0 runs its PCIe link with 8 of 16 lanes",
        Severity.CRITICAL,
        lambda: one(currPcieLinkWidth=8),
        lambda: one(currPcieLinkGeneration=1),
        lambda: one(currPcieLinkWidth=None),
    ),
    "pcie_generation": Told(
        r"gpu-1's GPU 0 runs its PCIe link at generation 3 of 5 under load \(98 %\), in 2 of 2 samples",
        Severity.WARNING,
        lambda: twice(currPcieLinkGeneration=3),
        lambda: twice(currPcieLinkGeneration=1, utilizationRates={"gpu": 0}),
        lambda: one(currPcieLinkGeneration=None),
    ),
    "pcie_replays": Told(
        r"gpu-1's GPU 0 repeats 40 PCIe packets a minute \(31 are DCGM's limit",
        Severity.WARNING,
        lambda: grown("pcieReplayCounter", 7, 47),
        lambda: grown("pcieReplayCounter", 90_000, 90_030),
        lambda: one(pcieReplayCounter=None),
    ),
    "nvlink_inactive": Told(
        r"gpu-1's GPU 0 has 1 of 18 NVLinks that are not active \(link 17\)",
        Severity.CRITICAL,
        lambda: one(nvLinkState=[1] * 17 + [0]),
        lambda: one(name="NVIDIA L4", nvLinkState=[]),
        lambda: one(nvLinkState=None),
    ),
    "nvlink_errors": Told(
        "gpu-1's GPU 0 counts 5.0 NVLink replay errors a minute",
        Severity.WARNING,
        lambda: grown("nvLinkErrorCounter", {"replay": 1}, {"replay": 6}),
        lambda: grown("nvLinkErrorCounter", {"replay": 900}, {"replay": 901}, seconds=120),
        lambda: one(nvLinkErrorCounter=None),
    ),
    "nvlink_error": Told(
        r"gpu-1's GPU 0 reported Xid 74 \(an NVLink error\) 1 min ago",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0), log=kernel(xid(74))),
        lambda: a_scene(gpu(0), log=kernel(xid(45))),
        a_scene,
    ),
    "nvlink5_event": Told(
        r"gpu-1's GPU 0 reported Xid 149 \(an event of an NVLink unit\)",
        Severity.WARNING,
        lambda: a_scene(gpu(0), log=kernel(xid(149, text="NETIR_LINK_EVT Fatal XC0 i0 Link 08"))),
        lambda: a_scene(gpu(0), log=kernel(xid(79))),
        a_scene,
    ),
    "nvswitch": Told(
        "gpu-1's NVSwitch 0000:05:00 reported fatal SXid 20034 1 min ago",
        Severity.CRITICAL,
        lambda: a_scene(log=kernel((60, "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM"))),
        lambda: a_scene(log=kernel((60, "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 11012, Non-fatal, Link 30"))),
        lambda: a_scene(gpu(0)),
    ),
}
