"""Some GPUs of the node are not offered: marked unhealthy by the device plugin, or (see fewer) never registered.

kubernetes/kubernetes:pkg/kubelet/cm/devicemanager: capacity keeps the unhealthy ones, allocatable does not.
NVIDIA/k8s-device-plugin#1014: after an Xid outside its list the plugin marks a GPU unhealthy, and never healthy again
before it is restarted, also where the fault is over. A restart before a repair hands out a bad GPU.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import names
from bot.gpu import xid
from bot.gpu.plugin_log import Said, Sign
from bot.gpu.row import Row
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.faults import fewer
from bot.gpu.stack.faults.xids import hardware
from bot.gpu.stack.link import Link
from bot.gpu.stack.sight import NO_READING, Sight
from bot.gpu.stack.vendor import NVIDIA

UNHEALTHY = "unhealthy"
STOPPED = "plugin_stopped"


def find(sight: Sight) -> Fault | None:
    rows = [row for row in sight.gpus.rows if row.lost > 0 and row.allocatable + row.capacity > 0] if sight.gpus else []
    if not rows:
        return fewer.than_twins(sight)
    row = max(rows, key=lambda one: one.lost)
    if row.capacity > row.allocatable:
        return _unhealthy(sight, row) if row.allocatable else _stopped(sight, row)
    return fewer.than_told(sight, row)


def plugin(sight: Sight) -> Pod | None:
    return next(iter(sight.links.get(Link.DEVICE_PLUGIN, ())), None)


def _unhealthy(sight: Sight, row: Row) -> Fault:
    pod = plugin(sight)
    said = _marks(sight, pod)
    codes = _codes(sight, said)
    lost = row.capacity - row.allocatable
    return Fault(
        UNHEALTHY,
        sight.name,
        f"{sight.name} offers {row.allocatable} of its {row.capacity} {row.resource}: the device plugin marked "
        f"{_devices(said, lost)} unhealthy{_after(codes)}",
        evidence=tuple(_evidence(sight, row, pod, said, codes)),
        remedies=tuple(_remedies(sight, pod, said, codes)),
        useless=(
            "Restarting the plugin before the GPU was looked at does not help: it would hand out a bad one again",
        ),
        unknown=() if codes else _not_known(sight, pod),
        explains=frozenset({"xid", "condition"}),
    )


def _marks(sight: Sight, pod: Pod | None) -> list[Said]:
    reading = sight.readings.get(pod.key, NO_READING) if pod else NO_READING
    return [one for one in reading.said if one.sign in (Sign.XID, Sign.UNHEALTHY, Sign.ALL_UNHEALTHY, Sign.LOST)]


def _codes(sight: Sight, said: list[Said]) -> list[int]:
    """What the plugin's log names, else what the kernel reported."""
    named = [code for one in said for code in one.xids if not xid.ignored_by_plugin(code)]
    return list(dict.fromkeys(named or [one.code for one in hardware(sight)]))


def _devices(said: list[Said], lost: int) -> str:
    known = list(dict.fromkeys(device for one in said for device in one.devices))
    return names(known) if known and len(known) == lost else f"{lost} of them"


def _after(codes: list[int]) -> str:
    return f" after {xid.of(codes[0]).told}" if codes else ""


def _evidence(sight: Sight, row: Row, pod: Pod | None, said: list[Said], codes: list[int]) -> Iterator[str]:
    yield f"capacity {row.capacity}, allocatable {row.allocatable}; pods there hold {row.requested}"
    for one in said[:2]:
        at = f" at {one.clock}" if one.clock else ""
        yield f"log of {pod.key if pod else 'the plugin'}{at}: “{inert(one.quote)}”"
    for code in codes[:2]:
        entry = xid.of(code)
        yield f"Xid {code}: {entry.clears}{f'. {entry.note}' if entry.note else ''}"
    yield "it stays unhealthy, also when the fault is over, until the plugin's pod is restarted"


def _remedies(sight: Sight, pod: Pod | None, said: list[Said], codes: list[int]) -> Iterator[Remedy]:
    if sight.vendor is not NVIDIA:
        yield commands.look(sight)
        yield from (
            Remedy("Restart the device plugin there once the GPU works", commands.delete(one)) for one in (pod,) if one
        )
        return
    device = next((device for one in said for device in one.devices), "")
    which = f" -i {commands.quoted(device)}" if device.startswith("GPU-") else ""
    yield Remedy(
        "Look at the GPU first (errors, remapped rows)", commands.smi(sight, pod, f"-q -d ECC,ROW_REMAPPER{which}")
    )
    clears = xid.of(codes[0]).clears if codes else xid.Clears.RESET
    yield _repair(sight, clears, which)
    if pod is not None:
        yield Remedy(
            "Only then restart the device plugin there: it counts the GPU as healthy again",
            commands.delete(pod),
            cost="running pods go on",
        )


def _repair(sight: Sight, clears: xid.Clears, which: str) -> Remedy:
    if clears in (xid.Clears.NOTHING_NEEDED, xid.Clears.PROGRAM):
        return Remedy(f"No repair is needed for that: {clears}")
    if clears is xid.Clears.RESET:
        return Remedy(
            "Reset it when no pod uses it; reboot the node if it does not come back",
            commands.on_host(sight.name, f"nvidia-smi --gpu-reset{which}"),
            cost="whatever still uses that GPU has to end first, the stack's own pods included",
        )
    return Remedy(f"Cordon and drain {sight.name}, then: {clears}", f"kubectl cordon {commands.quoted(sight.name)}")


def _not_known(sight: Sight, pod: Pod | None) -> tuple[str, ...]:
    return (
        f"why it was marked: the log of {pod.key if pod else 'the device plugin'} and the kernel messages would tell",
    )


def _stopped(sight: Sight, row: Row) -> Fault:
    """All at once: the plugin stopped, or its wait for events failed."""
    pod = plugin(sight)
    said = _marks(sight, pod)
    everything = next((one for one in said if one.sign is Sign.ALL_UNHEALTHY), None)
    why = "the driver failed it" if everything else "as when it has stopped" if pod is None else "its pod runs"
    return Fault(
        STOPPED,
        sight.name,
        f"{sight.name} offers none of its {row.capacity} {row.resource}: "
        f"the device plugin has marked all of them unhealthy ({why})",
        evidence=(
            f"capacity {row.capacity}, allocatable 0; pods there hold {row.requested}",
            *((f"log: “{inert(everything.quote)}”",) if everything else ()),
            *(("no device plugin pod is on the node",) if pod is None else ()),
        ),
        remedies=(
            commands.look(sight),
            *((Remedy("Restart the plugin's pod once it does", commands.delete(pod)),) if pod else ()),
        ),
        explains=frozenset({"xid", "condition"}),
    )
