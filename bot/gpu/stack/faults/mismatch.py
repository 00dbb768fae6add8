"""The driver's libraries were upgraded under a loaded kernel module: what runs goes on, nothing new can start.

NVIDIA/k8s-device-plugin#1431, NVIDIA/nvidia-container-toolkit#394. Only a reboot (or unloading the module, which needs
a node without GPU users) makes both one version again.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.domain.words import names
from bot.gpu.kernel_line import Line
from bot.gpu.kernel_log import Mismatch
from bot.gpu.plugin_log import Sign
from bot.gpu.stack import commands, packages
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.sight import Sight

ID = "driver_mismatch"
EXPLAINS = frozenset(
    {"plugin", "plugin_stopped", "operand", "driver_not_loaded", "missing", "unregistered", "unhealthy"}
)


def find(sight: Sight) -> Fault | None:
    seen = sight.kernel.mismatch
    told = sight.said(Sign.MISMATCH)
    if told is not None and stuck(told[0]) is None and sight.offered:
        told = None  # an old line: its container works again
    if seen is None and told is None:
        return None
    return Fault(
        ID,
        sight.name,
        _sentence(sight, seen),
        evidence=tuple(_evidence(sight, seen)),
        remedies=tuple(_remedies(sight)),
        useless=tuple(_useless(sight)),
        unknown=() if seen else (f"versions of library and module: the kernel messages of {sight.name} would tell",),
        explains=EXPLAINS,
    )


def _sentence(sight: Sight, seen: Mismatch | None) -> str:
    library = f" {seen.library}" if seen and seen.library else ""
    module = f" {seen.module}" if seen and seen.module else ""
    return (
        f"{sight.name} has NVIDIA libraries{library} that do not fit its loaded kernel module{module}: "
        "the packages were upgraded under the running driver, and nothing new can use its GPUs before a reboot"
    )


def _evidence(sight: Sight, seen: Mismatch | None) -> Iterator[str]:
    told = sight.said(Sign.MISMATCH)
    if told is not None:
        yield f"log of {told[0].key}: “{inert(told[1].quote)}”"
    if seen is not None and seen.time:
        module = seen.module or "another one"
        yield f"kernel, last {sight.ago(seen.time)}: the client has {seen.library}, the module is {module}"
    if sight.kernel.upgrades:
        yield _upgrade(sight, sight.kernel.upgrades[-1])
    if sight.users:
        told_names = names([pod.key for pod in sight.users])
        yield f"{told_names} got the GPU before the upgrade: what runs goes on, but could not start again there"


def _upgrade(sight: Sight, line: Line) -> str:
    when = f"{sight.ago(line.time)}: " if line.time else ""
    return f"package upgrade, {when}“{inert(line.text, 180)}”"


def _remedies(sight: Sight) -> Iterator[Remedy]:
    yield commands.cordon(sight.name)
    yield commands.drain(sight)
    yield commands.reboot(sight.name, "library and module are one version after it")
    yield commands.uncordon(sight.name)
    yield packages.hold(sight.node)


def _useless(sight: Sight) -> Iterator[str]:
    restarts = [
        (pod.key, state.restarts)
        for pods in sight.links.values()
        for pod in pods
        if (state := stuck(pod)) is not None and state.restarts
    ]
    if restarts:
        key, times = max(restarts, key=lambda one: one[1])
        yield f"Starting {key} again does not help: it was restarted {times:,} times, with the same end"
