"""Heat and power."""

from typing import Any

from bot.checks.finding import Severity
from bot.checks.scene import Scene
from tests.checks.building import Told, a_scene, before, gpu


def held(times: int, *, seconds: float = 60, **changed: Any) -> Scene:
    """So in the last `times` readings, one before them in which nothing was."""
    past = [(seconds * ago, [gpu(0, **changed)]) for ago in range(times - 1, 0, -1)]
    return a_scene(gpu(0, **changed), earlier=before((seconds * times, [gpu(0)]), *past))


def blind(*keys: str) -> Scene:
    return a_scene(gpu(0, **dict.fromkeys(keys)))


def bits(mask: int) -> dict[str, int]:
    return {"currentClocksEventReasons": mask}


def twins(clock: int, *, mask: int = 0, load: int = 98) -> Scene:
    slow = gpu(3, clockInfo={"sm": clock}, currentClocksEventReasons=mask, utilizationRates={"gpu": load})
    every = [gpu(0), gpu(1), gpu(2), slow]
    return a_scene(*every, earlier=before((60, every)))


TOLD = {
    "power_brake": Told(
        r"gpu-1's GPU 0 is held down by the power brake \(0x80\) in 2 of 3 samples over 60 s",
        Severity.CRITICAL,
        lambda: held(2, **bits(0x80)),
        lambda: held(1, **bits(0x80)),
        lambda: blind("currentClocksEventReasons"),
    ),
    "hw_thermal": Told(
        r"gpu-1's GPU 0 is slowed down by heat \(hardware, 0x40\) in 2 of 3 samples",
        Severity.CRITICAL,
        lambda: held(2, **bits(0x48)),
        lambda: held(3, **bits(0x8)),
        lambda: blind("currentClocksEventReasons"),
    ),
    "sw_thermal": Told(
        r"gpu-1's GPU 0 is slowed down by its driver to stay cool \(0x20\) in 3 of 4 samples over 120 s",
        Severity.WARNING,
        lambda: held(3, **bits(0x20)),
        lambda: held(2, **bits(0x20)),
        lambda: blind("currentClocksEventReasons"),
    ),
    "margin": Told(
        "gpu-1's GPU 0 has 4 °C left until it slows itself down for heat, in 2 of 3 samples",
        Severity.WARNING,
        lambda: held(2, marginTemperature=4),
        lambda: held(3, marginTemperature=-1),
        lambda: blind("marginTemperature"),
    ),
    "power_limit": Told(
        "gpu-1's GPU 0 has a power limit of 500 W, its default is 700 W",
        Severity.INFO,
        lambda: a_scene(gpu(0, enforcedPowerLimit=500_000)),
        lambda: a_scene(gpu(0, **bits(0x4))),
        lambda: blind("powerManagementDefaultLimit"),
    ),
    "slow_twin": Told(
        r"gpu-1's GPU 3 is slower than its twins .*SM clock 1200 of 1980 MHz.*they run at 1980 MHz",
        Severity.WARNING,
        lambda: twins(1200),
        lambda: twins(1200, mask=0x4),
        lambda: blind("clockInfo"),
    ),
}
