"""The node should have GPUs and offers none, and nothing on it tells why: no device plugin has ever registered."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.words import count
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.sight import Sight, stuck

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
    if sight.daemonsets.get(Link.DEVICE_PLUGIN):
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
    here = [f"{link} {pods[0].key}" for link, pods in sight.links.items()]
    if here:
        yield f"of the GPU stack there: {', '.join(here[:4])}"
    for link in (Link.DRIVER, Link.TOOLKIT):
        held = [pod for pod in sight.links.get(link, ()) if stuck(pod) is not None]
        if held:
            yield f"{link} {held[0].key} is not ready"


def _remedies(sight: Sight) -> Iterator[Remedy]:
    yield Remedy("See whether the driver works on the host", commands.on_host(sight.name, "nvidia-smi"))
    placed = sight.daemonsets.get(Link.DEVICE_PLUGIN, ())
    if placed:
        yield Remedy(
            "See why its pod is not there",
            f"kubectl -n {commands.quoted(placed[0].namespace)} describe daemonset {commands.quoted(placed[0].name)}",
        )
    elif sight.view.knows("daemonsets") and not sight.links.get(Link.DEVICE_PLUGIN):
        yield Remedy(
            "Install a device plugin (NVIDIA's chart or the GPU operator), unless the machine's image should bring one",
            "helm upgrade -i nvdp nvidia-device-plugin --repo https://nvidia.github.io/k8s-device-plugin "
            "--namespace nvidia-device-plugin --create-namespace",
        )


def _unknown(sight: Sight) -> Iterator[str]:
    if not sight.view.knows("daemonsets"):
        yield "DaemonSets were not read: whether a device plugin is meant to run there"
    if not sight.view.knows("pods"):
        yield "pods were not read: whether a device plugin runs there"
