"""The kubelet was restarted and its device plugin has not registered again, so the node offers none of its GPUs.

kubernetes/kubernetes:pkg/kubelet/cm/devicemanager: a restarted kubelet knows no device until its plugins register. A
plugin watches the kubelet's socket and registers within seconds; one that missed it runs on and offers nothing.
"""

from bot.domain.answer import Remedy
from bot.domain.words import duration
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.sight import Sight

ID = "kubelet_restarted"
WAITS = "registering"
EXPLAINS = frozenset({"plugin_stopped", "missing", "unregistered", "plugin"})
PATIENCE_SECONDS = 300.0


def find(sight: Sight) -> Fault | None:
    since = sight.kubelet_started
    pods = [pod for pod in sight.links.get(Link.DEVICE_PLUGIN, ()) if stuck(pod) is None]
    if sight.offered or since is None or not pods or sight.expected is None:
        return None
    runs = sight.age(pods[0].started or pods[0].created)
    if (
        runs is None or runs < since
    ):  # it was started after the kubelet: it has registered, or has not because of itself
        return None
    told = f"{sight.name}'s kubelet was restarted {duration(max(1.0, since))} ago"
    if since < PATIENCE_SECONDS:
        return Fault(
            WAITS,
            sight.name,
            f"{told}, and the device plugin has not registered its GPUs again yet, which is usual in the first minutes",
            evidence=("what runs there goes on",),
            explains=EXPLAINS,
            passes=True,
            until=f"{pods[0].key} has registered the GPUs again, within 5 min as a rule",
        )
    return Fault(
        ID,
        sight.name,
        f"{told}, and its device plugin {pods[0].key}, which runs since before that, has not registered again: "
        f"it offers no {sight.resource}",
        evidence=(
            f"the plugin's pod runs {duration(max(1.0, runs))}, longer than the kubelet",
            f"capacity {sight.node.capacity.get(sight.resource, 0)}, "
            f"allocatable {sight.node.allocatable.get(sight.resource, 0)}",
        ),
        remedies=(
            Remedy("Restart the plugin's pod: it registers when it starts", commands.delete(pods[0]), cost="none"),
        ),
        explains=EXPLAINS,
    )
