"""Package managers of nodes: what to type depends on the node's operating system, as feature discovery's label tells.

kubernetes-sigs/node-feature-discovery: feature.node.kubernetes.io/system-os_release.ID, the ID of /etc/os-release.
"""

from bot.domain.answer import Remedy
from bot.domain.node import Node
from bot.gpu.stack import commands

_LABEL = "feature.node.kubernetes.io/system-os_release.ID"
_DEBIAN = frozenset({"debian", "ubuntu"})
_RED_HAT = frozenset("rhel centos rocky almalinux ol fedora amzn azurelinux mariner".split())
_HOLD = "Keep NVIDIA's packages out of unattended upgrades, so that it does not happen again"


def family(node: Node) -> str:
    """`apt`, `dnf`, `other`, or empty where nothing tells."""
    name = node.labels.get(_LABEL, "").casefold()
    if not name:
        return ""
    return "apt" if name in _DEBIAN else "dnf" if name in _RED_HAT else "other"


def hold(node: Node) -> Remedy:
    """So that an unattended upgrade does not replace the driver's libraries again."""
    match family(node):
        case "dnf":
            return Remedy(
                f"{_HOLD} (dnf's versionlock plugin, or `excludepkgs` in /etc/dnf/dnf.conf)",
                commands.on_host(node.name, "sh -c 'dnf versionlock add \"*nvidia*\"'"),
            )
        case "other":
            return Remedy(_HOLD)
        case known:
            unless = "" if known else "; this is for Debian and Ubuntu, others pin packages in their own way"
            return Remedy(
                f"{_HOLD}{unless}",
                commands.on_host(node.name, 'sh -c \'apt-mark hold $(dpkg-query -W -f "\\${Package} " "*nvidia*")\''),
            )


def fabric_manager(node: Node, version: str) -> Remedy:
    """Fabric manager in the driver's own version, `570.172.08`."""
    action = f"Install fabric manager in the driver's own version {version}, if the installed one differs"
    branch = version.partition(".")[0]
    match family(node):
        case "dnf":
            package = f"nvidia-fabric*manager-{version}"  # the name was changed between branches
            return Remedy(action, commands.on_host(node.name, f"dnf install {commands.quoted(package)}"))
        case "other":
            return Remedy(action)
        case known:
            unless = "" if known else "; this is for Debian and Ubuntu"
            package = f"nvidia-fabricmanager-{branch}={version}-1"
            return Remedy(
                f"{action}{unless}", commands.on_host(node.name, f"apt-get install {commands.quoted(package)}")
            )
