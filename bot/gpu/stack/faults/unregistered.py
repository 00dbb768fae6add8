"""The node should have GPUs and offers none, and nothing on it tells why: no device plugin has ever registered."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import count
from bot.gpu.stack import commands, providers
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.sight import Sight
from bot.gpu.stack.vendor import NVIDIA

ID = "unregistered"


def find(sight: Sight) -> Fault | None:
    if sight.offered or sight.expected is None or sight.expected.count == 0:
        return None
    should = count(sight.expected.count, "GPU") if sight.expected.count else "GPUs"
    product = f" ({sight.expected.product})" if sight.expected.product else ""
    return Fault(
        ID,
        sight.name,
        f"{sight.name} should have {should}{product} and offers no {sight.resource}{_why(sight)}",
        evidence=tuple(_evidence(sight)),
        remedies=tuple(_remedies(sight)),
        useless=("Waiting does not help: what has not registered after this time does not come by itself",),
        unknown=tuple(_unknown(sight)),
    )


def _why(sight: Sight) -> str:
    if pods := sight.links.get(Link.DEVICE_PLUGIN):
        return f": its device plugin {pods[0].key} runs and has registered none"
    if not sight.view.knows("pods"):
        return ""
    if sight.plugins:
        return ": no device plugin pod is on it, although its DaemonSet should put one there"
    nowhere = ", and no DaemonSet is one" if sight.view.knows("daemonsets") else ""
    return f": no device plugin runs there as a pod{nowhere}"


def _evidence(sight: Sight) -> Iterator[str]:
    if sight.expected is not None:
        yield f"that it has GPUs: {sight.expected.source}"
    claim, asked = sight.fleet.claims.get(sight.name, ("", 0))
    if asked:
        yield f"NodeClaim `{claim}` was made for {asked} {sight.resource}"
    made = sight.ago(sight.node.created)
    if made:
        yield f"the node was made {made}, Ready, and offers {sight.offered} of them now"
    for thing in sight.plugins[:1]:
        for event in sight.view.events_on("DaemonSet", thing.namespace, thing.name)[:1]:
            if event.reason.startswith("Failed"):
                yield f"DaemonSet {thing.key}, {event.count}×, last {sight.ago(event.time)}: “{inert(event.message)}”"
    here = [f"{link} {pods[0].key}" for link, pods in sight.links.items()]
    if here:
        yield f"of the GPU stack there: {', '.join(here[:4])}"
    for link in (Link.DRIVER, Link.TOOLKIT):
        held = [pod for pod in sight.links.get(link, ()) if stuck(pod) is not None]
        if held:
            yield f"{link} {held[0].key} is not ready"


def _remedies(sight: Sight) -> Iterator[Remedy]:
    running = sight.links.get(Link.DEVICE_PLUGIN)
    yield commands.look(sight)
    if running:
        yield Remedy("Read the plugin's log", commands.logs(running[0], _main(running[0])))
        yield Remedy("If the driver works, restart the plugin's pod", commands.delete(running[0]), cost="none")
    elif sight.plugins:
        thing = sight.plugins[0]
        yield Remedy(
            "See why its pod is not there",
            f"kubectl -n {commands.quoted(thing.namespace)} describe daemonset {commands.quoted(thing.name)}",
        )
    elif sight.view.knows("daemonsets"):
        yield from providers.hints(sight.node)
        yield _install(sight)


def _main(pod: Pod) -> str:
    return next((one.name for one in pod.containers if not one.init), "main")


def _install(sight: Sight) -> Remedy:
    unless = "unless the machine's image or the provider should bring one"
    if sight.vendor is not NVIDIA:
        return Remedy(f"Install {sight.vendor.name}'s device plugin (or its operator), {unless}")
    return Remedy(
        f"Install a device plugin (NVIDIA's chart or the GPU operator), {unless}",
        "helm upgrade -i nvdp nvidia-device-plugin --repo https://nvidia.github.io/k8s-device-plugin "
        "--namespace nvidia-device-plugin --create-namespace",
    )


def _unknown(sight: Sight) -> Iterator[str]:
    if not sight.view.knows("daemonsets"):
        yield "DaemonSets were not read: whether a device plugin is meant to run there"
    if not sight.view.knows("pods"):
        yield "pods were not read: whether a device plugin runs there"
