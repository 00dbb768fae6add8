"""The NVSwitch fabric."""

from bot.checks.finding import Severity
from tests.checks.building import Told, a_scene, before, case, gpu

JOINS = gpu(0, gpuFabricInfo={"state": 2})

TOLD = {
    "state": Told(
        "gpu-1's GPU 0 has been joining its NVLink fabric for 10 min, without success",
        Severity.WARNING,
        lambda: a_scene(JOINS, earlier=before((600, [JOINS]))),
        lambda: a_scene(JOINS, earlier=before((120, [JOINS]))),
        lambda: a_scene(gpu(0, gpuFabricInfo=None)),
    ),
    "health": Told(
        "gpu-1's GPU 0 reports of its NVLink fabric: its bandwidth is degraded and fabric manager is not connected",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0, gpuFabricInfo={"healthMask": 2 << 14 | 1 << 8 | 0x29})),
        lambda: a_scene(gpu(0)),
        lambda: a_scene(gpu(0, gpuFabricInfo=None)),
    ),
    "manager": Told(
        "gpu-a has NVSwitches and its fabric manager does not run",
        Severity.CRITICAL,
        lambda: case("D25"),
        lambda: a_scene(gpu(0)),
        a_scene,
    ),
}
