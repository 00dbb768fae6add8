"""The device plugin on the node crashes, does not start, or runs and finds no GPU."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import ContainerState, Pod
from bot.domain.text import inert
from bot.domain.words import count
from bot.gpu.plugin_log import Reading, Said, Sign
from bot.gpu.stack import commands, providers
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import since, stuck
from bot.gpu.stack.sight import NO_READING, Sight
from bot.gpu.stack.vendor import NVIDIA

ID = "plugin"
CONFIG = "nvidia.com/device-plugin.config"
EXPLAINS = frozenset({"plugin_stopped", "missing", "unregistered"})
_TELLING = (
    Sign.LOST,
    Sign.NOT_LOADED,
    Sign.NO_LIBRARY,
    Sign.RPC_TIMEOUT,
    Sign.UNKNOWN_ERROR,
    Sign.NO_CONFIG,
    Sign.NO_PERMISSION,
    Sign.NO_DEVICES,
    Sign.NO_KUBELET,
    Sign.WAITS_FOR_DRIVER,
)


def find(sight: Sight) -> Fault | None:
    for pod in sight.links.get(Link.DEVICE_PLUGIN, ()):
        reading = sight.readings.get(pod.key, NO_READING)
        said = reading.find(*_TELLING) or _silent(reading)
        held = stuck(pod)
        if held is not None:
            return _held(sight, pod, held, said, reading)
        if said is not None and not sight.offered:
            return _runs(sight, pod, said)
    return None


def _silent(reading: Reading) -> Said | None:
    """ROCm's plugin says nothing more where it finds no compute device."""
    return reading.find(Sign.NO_PLUGINS) if reading.ends_with is Sign.NO_PLUGINS else None


def _held(sight: Sight, pod: Pod, held: ContainerState, said: Said | None, reading: Reading) -> Fault:
    how = f"crashes again and again ({count(held.restarts, 'restart')})" if held.restarts else _waits(held)
    why = f": {said.sign}" if said else ""
    return Fault(
        ID,
        sight.name,
        f"{sight.name} {_offers(sight)}: container `{held.name}` of its device plugin {pod.key} {how}{why}",
        evidence=tuple(_evidence(sight, pod, said, reading.last)),
        remedies=(
            Remedy("Read its log", commands.logs(pod, held.name, previous=held.restarts > 0)),
            *_cure(sight, pod, said),
        ),
        unknown=() if said or reading.last else (f"the log of {pod.key}",),
        explains=EXPLAINS,
    )


def _waits(held: ContainerState) -> str:
    return f"does not start ({held.waiting})" if held.waiting else "does not get ready"


def _offers(sight: Sight) -> str:
    return f"offers {sight.offered} GPUs" if sight.offered else f"offers no {sight.resource}"


def _runs(sight: Sight, pod: Pod, said: Said) -> Fault:
    return Fault(
        ID,
        sight.name,
        f"{sight.name} offers no {sight.resource} although its device plugin {pod.key} runs: its log says "
        f"that {said.sign}",
        evidence=tuple(_evidence(sight, pod, said, "")),
        remedies=tuple(_cure(sight, pod, said)),
        explains=EXPLAINS,
    )


def _evidence(sight: Sight, pod: Pod, said: Said | None, last: str) -> Iterator[str]:
    if said or last:
        yield f"log of {pod.key}: “{inert(said.quote if said else last)}”"
    ready = pod.condition("Ready")
    if ready is not None:
        yield f"not ready, {sight.ago(since(pod))}: {inert(ready.message or ready.reason)}"
    if sight.expected is not None:
        yield f"that {sight.name} has GPUs: {sight.expected.source}"


def _cure(sight: Sight, pod: Pod, said: Said | None) -> Iterator[Remedy]:
    sign = said.sign if said else None
    if sign in (Sign.LOST, Sign.RPC_TIMEOUT, Sign.UNKNOWN_ERROR):
        yield commands.cordon(sight.name)
        yield commands.drain(sight)
        yield commands.reboot(
            sight.name, "if a GPU is still gone after it, power the machine off and on, or replace it"
        )
    elif sign in (Sign.NOT_LOADED, Sign.NO_LIBRARY, Sign.WAITS_FOR_DRIVER, Sign.NO_DEVICES, Sign.NO_PLUGINS):
        yield commands.look(sight)
        yield from providers.hints(sight.node)
        yield _load(sight)
    elif sign is Sign.NO_CONFIG:
        yield from _other_config(sight, pod)
    elif sign is Sign.NO_PERMISSION:
        yield Remedy("Run the plugin privileged, or give it the SELinux type that the driver's files have")
    elif sign is Sign.NO_KUBELET:
        yield Remedy(
            "Restart the kubelet there: its device plugin socket does not answer",
            commands.on_host(sight.name, "systemctl restart kubelet"),
            cost="running pods go on",
        )
    else:
        yield Remedy("Start it anew once its log says what is wrong", commands.delete(pod))


def _load(sight: Sight) -> Remedy:
    """What the plugin needs where its own container is as it should be."""
    vendor = sight.vendor
    runtime = " and that its pod runs with NVIDIA's runtime (`runtimeClassName: nvidia`)" if vendor is NVIDIA else ""
    return Remedy(
        f"If it does not, install or load {vendor.name}'s driver there (module `{vendor.module.partition('|')[0]}`), "
        f"then restart the plugin's pod; if it does, see that the plugin may use the devices{runtime}",
        commands.delete(next(iter(sight.links[Link.DEVICE_PLUGIN]))),
        cost="none",
    )


def _other_config(sight: Sight, pod: Pod) -> Iterator[Remedy]:
    """The label says which entry of the plugin's ConfigMap counts on that node."""
    label = sight.node.labels.get(CONFIG, "")
    yield Remedy(
        f"Name a configuration that exists, or take the label away: the plugin then uses its default"
        f"{f' (now `{CONFIG}={inert(label)}`)' if label else ''}",
        commands.label(sight.name, [(CONFIG, "")]),
        cost="its GPUs are offered anew: shared or not as the default says",
    )
    yield Remedy(
        "Or add it to the ConfigMap of the plugin's chart (value `config.map`, or the ClusterPolicy's "
        "`devicePlugin.config`): see which there are",
        f"kubectl -n {commands.quoted(pod.namespace)} get configmaps",
    )
