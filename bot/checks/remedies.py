"""What helps a GPU, the safest first: evidence is collected before anything that loses it, and a plugin comes last."""

from collections.abc import Iterator

from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading
from bot.gpu import xid
from bot.gpu.stack import commands
from bot.gpu.stack.link import Link


def look(scene: Scene, what: str, arguments: str) -> Remedy:
    """nvidia-smi with those arguments, which changes nothing."""
    plugin = next(iter(scene.sight.links.get(Link.DEVICE_PLUGIN, ())), None)
    return Remedy(what, commands.smi(scene.sight, plugin, arguments))


def evidence(scene: Scene) -> Remedy:
    """Counters, reasons and kernel messages are lost by a reset or a reboot."""
    return Remedy(
        "Keep the evidence first: a reset or a reboot loses it",
        commands.on_host(scene.name, "nvidia-bug-report.sh --output-file /tmp/nvidia-bug-report.log"),
    )


def counters(scene: Scene, gpu: GpuReading) -> Remedy:
    return look(
        scene, "Look at its memory and error counters: a reset loses them", f"-q -d ECC,ROW_REMAPPER -i {gpu.index}"
    )


def cordon(scene: Scene) -> Remedy:
    return commands.cordon(scene.name)


def drain(scene: Scene) -> Remedy:
    return commands.drain(scene.sight)


def reset(scene: Scene, gpu: GpuReading, when: str = "when nothing uses it") -> Remedy:
    return Remedy(
        f"Reset GPU {gpu.index} {when}; reboot {scene.name} if it does not come back",
        commands.on_host(scene.name, f"nvidia-smi --gpu-reset -i {gpu.index}"),
        cost="whatever still uses that GPU has to end first, the stack's own pods included",
    )


def reboot(scene: Scene, why: str = "") -> Remedy:
    return commands.reboot(scene.name, why)


def replace(scene: Scene, gpu: GpuReading) -> Remedy:
    serial = f" (serial {gpu.serial})" if gpu.serial else ""
    return Remedy(
        f"Have GPU {gpu.index}{serial} replaced; in a cloud replace the machine, and note its instance id and the "
        "GPU's serial number, or the same board comes back"
    )


def move(scene: Scene) -> Iterator[Remedy]:
    yield cordon(scene)
    yield drain(scene)


def restart_plugin(scene: Scene) -> Iterator[Remedy]:
    """After a repair, never before it: that hides the fault."""
    for pod in scene.sight.links.get(Link.DEVICE_PLUGIN, ())[:1]:
        yield Remedy(
            "Then restart the device plugin there: it counts the GPU as healthy again",
            commands.delete(pod),
            cost="running pods go on",
        )


def clearing(scene: Scene, gpu: GpuReading | None, bus: str, clears: xid.Clears) -> Iterator[Remedy]:
    """What makes an Xid go away, by the catalogue."""
    which = str(gpu.index) if gpu is not None else commands.quoted(bus)
    match clears:
        case xid.Clears.NOTHING_NEEDED | xid.Clears.SEE_154 | xid.Clears.PROGRAM:
            yield look(scene, "Look at its state and its recovery action", f"-q -i {which}")
        case xid.Clears.RESET:
            yield from move(scene)
            yield Remedy(
                f"Reset that GPU when nothing uses it; reboot {scene.name} if it does not come back",
                commands.on_host(scene.name, f"nvidia-smi --gpu-reset -i {which}"),
            )
        case xid.Clears.POWER:
            yield from move(scene)
            yield Remedy(
                f"Power {scene.name} off and on (a virtual machine: stop and start it, or replace it): a reboot is "
                "often not enough"
            )
        case xid.Clears.FABRIC:
            yield Remedy(
                "Restart the fabric manager when no job runs there",
                commands.on_host(scene.name, "systemctl restart nvidia-fabricmanager"),
                cost="GPU jobs that run on the node may end",
            )
        case xid.Clears.LINKS | xid.Clears.REBOOT:
            yield from move(scene)
            yield reboot(scene)
        case _:
            yield from move(scene)
            yield Remedy(f"Then: {clears}")
