"""How a DaemonSet is kept from one node for a while: a drain leaves its pods, and a deleted one comes back at once."""

import msgspec

from bot.domain.answer import Remedy
from bot.gpu.stack import commands
from bot.gpu.stack.placement import of_daemonset
from bot.gpu.stack.sight import Sight
from bot.gpu.stack.untracked import Untracked


def keep_off(sight: Sight, one: Untracked) -> Remedy:
    """A DaemonSet's pod comes back at once, so the DaemonSet itself has to be kept from the node for that time."""
    thing = sight.view.thing("DaemonSet", one.pod.namespace, one.daemon)
    action = f"Keep DaemonSet {one.pod.namespace}/{one.daemon} off {sight.name} until the driver is changed"
    if thing is None or of_daemonset(thing).terms is not None:
        return Remedy(f"{action}: exclude the node in its node affinity, then take that back")
    host = sight.node.labels.get("kubernetes.io/hostname", sight.name)
    other = {"key": "kubernetes.io/hostname", "operator": "NotIn", "values": [host]}
    required = {"nodeSelectorTerms": [{"matchExpressions": [other]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    patch = msgspec.json.encode({"spec": {"template": {"spec": {"affinity": affinity}}}}).decode()
    return Remedy(
        f"{action}, then take the patch back",
        f"kubectl -n {commands.quoted(one.pod.namespace)} patch daemonset {commands.quoted(one.daemon)} "
        f"--type=merge -p {commands.quoted(patch)}",
        cost="its pods are restarted one after the other on all nodes",
    )
