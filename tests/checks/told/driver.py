"""The driver."""

from bot.checks.finding import Severity
from tests.checks.building import Told, a_scene, agent, before, case, gpu, without

SILENT = agent([], error=18, trouble="NVML did not start")

TOLD = {
    "hangs": Told(
        r"gpu-a's GPU driver hangs since 11:21: Xid 120 and 119 on GPU 0000:3b:00",
        Severity.CRITICAL,
        lambda: case("D35", "gpu-a"),
        lambda: case("OK1", "h200-c"),
        lambda: a_scene(gpu(0)),
    ),
    "mismatch": Told(
        r"gpu-1 has NVIDIA libraries that do not fit its loaded kernel module \(NVML error 18\)",
        Severity.CRITICAL,
        lambda: a_scene(told=SILENT),
        lambda: a_scene(gpu(0)),
        a_scene,
    ),
    "missing": Told(
        r"gpu-1 has no working driver: its module is not loaded \(NVML error 9\)",
        Severity.CRITICAL,
        lambda: a_scene(told=agent([], error=9)),
        lambda: a_scene(gpu(0)),
        lambda: without(a_scene(gpu(0)), "pods"),
    ),
    "nvml": Told(
        r"gpu-1: NVML does not start \(error 999\): a broken driver",
        Severity.CRITICAL,
        lambda: a_scene(told=agent([], error=999, trouble="a broken driver")),
        lambda: a_scene(told=agent([gpu(0)], error=9)),
        a_scene,
    ),
    "upgrade": Told(
        "gpu-a's driver cannot be replaced: dev/tool-0 and monitoring/own-dcgm-exporter",
        Severity.WARNING,
        lambda: case("D40", "gpu-a"),
        lambda: case("OK1", "h200-a"),
        lambda: without(case("D40", "gpu-a"), "pods"),
    ),
    "support": Told(
        "gpu-1 runs driver 570.172.08; its branch 570 is not supported any more since February 2026",
        Severity.WARNING,
        lambda: a_scene(told=agent([gpu(0)], driverVersion="570.172.08")),
        lambda: a_scene(gpu(0)),
        a_scene,
    ),
    "stepped_back": Told(
        "gpu-1's driver went back from 595.71.05 1 h ago to 580.105.08",
        Severity.WARNING,
        lambda: a_scene(gpu(0), earlier=before((3600, [gpu(0)]), driverVersion="595.71.05")),
        lambda: a_scene(gpu(0), earlier=before((3600, [gpu(0)]), driverVersion="570.172.08")),
        lambda: a_scene(gpu(0)),
    ),
    "persistence": Told(
        "gpu-1's GPU 0 has persistence mode off",
        Severity.INFO,
        lambda: a_scene(gpu(0, persistenceMode=0)),
        lambda: a_scene(gpu(0)),
        lambda: a_scene(gpu(0, persistenceMode=None)),
    ),
}
