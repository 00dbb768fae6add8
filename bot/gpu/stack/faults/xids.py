"""The kernel reports a GPU fault: an Xid that is not the program's own, or a fatal NVSwitch error.

Of a burst the first number is the cause, the rest follow from it. A single Xid 13, 31, 43 or 45 is the program's and
not told here.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.domain.words import names
from bot.gpu import xid
from bot.gpu.kernel_log import XidLine
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.sight import Sight

ID = "xid"
RECENT_SECONDS = 24 * 3600.0
EXPLAINS = frozenset({"condition"})


def find(sight: Sight) -> Fault | None:
    lines = hardware(sight)
    if not lines:
        return _switch(sight)
    first = lines[0]
    entry = xid.of(first.code)
    return Fault(
        ID,
        sight.name,
        f"{sight.name}'s GPU {first.bus} reported {entry.told} {sight.ago(first.time)}".rstrip(),
        evidence=tuple(_evidence(sight, lines)),
        remedies=tuple(_remedies(sight, lines)),
        explains=EXPLAINS,
    )


def hardware(sight: Sight) -> list[XidLine]:
    """Xids of this boot and the last day that point at a GPU, its driver or a link, in order."""
    return [
        one
        for one in sight.kernel.xids
        if xid.of(one.code).of_gpu and not one.nonfatal and (sight.age(one.time) or 0.0) <= RECENT_SECONDS
    ]


def _evidence(sight: Sight, lines: list[XidLine]) -> Iterator[str]:
    for code in list(dict.fromkeys(one.code for one in lines))[:3]:
        of_code = [one for one in lines if one.code == code]
        at = f"{of_code[0].time:%H:%M:%S} " if of_code[0].time else ""
        yield f"{at}kernel: Xid {code} on {of_code[0].bus}, {len(of_code)}×: “{inert(of_code[0].text, 120)}”"
    entry = xid.of(lines[0].code)
    yield f"Xid {entry.code}: {entry.clears}{f'. {entry.note}' if entry.note else ''}"
    if sight.users:
        yield f"on the node: {names([pod.key for pod in sight.users])}"


def _remedies(sight: Sight, lines: list[XidLine]) -> Iterator[Remedy]:
    plugin = next(iter(sight.links.get(Link.DEVICE_PLUGIN, ())), None)
    yield Remedy(
        "Look at its memory and error counters first: a reset or a reboot loses them",
        commands.smi(sight, plugin, "-q -d ECC,ROW_REMAPPER"),
    )
    yield commands.cordon(sight.name)
    yield commands.drain(sight)
    clears = xid.of(lines[0].code).clears
    if clears is xid.Clears.RESET:
        yield Remedy(
            "Reset that GPU when nothing uses it; reboot the node if it does not come back",
            commands.on_host(sight.name, f"nvidia-smi --gpu-reset -i {commands.quoted(lines[0].bus)}"),
        )
    elif clears is xid.Clears.POWER:
        yield Remedy(f"Power {sight.name} off and on (a virtual machine: stop and start it, or replace it)")
    else:
        yield commands.reboot(sight.name)


def _switch(sight: Sight) -> Fault | None:
    errors = [one for one in sight.kernel.switch_errors if (sight.age(one.time) or 0.0) <= RECENT_SECONDS]
    if not errors:
        return None
    first = errors[0]
    return Fault(
        ID,
        sight.name,
        f"{sight.name}'s NVSwitch {first.bus} reported fatal SXid {first.code} {sight.ago(first.time)}".rstrip(),
        evidence=(f"kernel: “{inert(first.text, 160)}”", "all GPUs of the board are touched by it"),
        remedies=(commands.cordon(sight.name), commands.drain(sight), commands.reboot(sight.name)),
        explains=EXPLAINS,
    )
