"""Commands that remedies name: they work when pasted, with names quoted where they need it."""

import shlex
from collections.abc import Iterable

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.gpu.stack.sight import Sight

quoted = shlex.quote


def on_host(node: str, command: str) -> str:
    """A command in the node's own root, by a privileged debug pod."""
    return f"kubectl debug node/{quoted(node)} -it --image=busybox --profile=sysadmin -- chroot /host {command}"


def cordon(node: str) -> Remedy:
    return Remedy(f"Cordon {node}, so that nothing new comes to it", f"kubectl cordon {quoted(node)}", cost="none")


def uncordon(node: str) -> Remedy:
    return Remedy(f"Uncordon {node} when it offers all its GPUs again", f"kubectl uncordon {quoted(node)}")


def drain(sight: Sight) -> Remedy:
    """With who is on it, and that DaemonSet pods stay."""
    users = sight.users
    cost = (
        f"ends {count(len(users), 'GPU pod')} there: {names([one.key for one in users])}"
        if users
        else "no GPU pod runs there"
    )
    command = f"kubectl drain {quoted(sight.name)} --ignore-daemonsets --delete-emptydir-data"
    return Remedy(f"Drain {sight.name}", command, cost=cost)


def reboot(node: str, why: str = "") -> Remedy:
    return Remedy(f"Reboot {node}{f': {why}' if why else ''}", on_host(node, "systemctl reboot"))


def delete(pod: Pod) -> str:
    return f"kubectl -n {quoted(pod.namespace)} delete pod {quoted(pod.name)}"


def logs(pod: Pod, container: str, *, previous: bool = False) -> str:
    which = " --previous" if previous else ""
    return f"kubectl -n {quoted(pod.namespace)} logs {quoted(pod.name)} -c {quoted(container)}{which}"


def label(node: str, pairs: Iterable[tuple[str, str]]) -> str:
    """`key=value` of each; an empty value takes the label away."""
    words = " ".join(quoted(f"{key}={value}") if value else quoted(f"{key}-") for key, value in pairs)
    return f"kubectl label node {quoted(node)} --overwrite {words}"


def look(sight: Sight) -> Remedy:
    """With the vendor's own tool."""
    return Remedy("See whether the driver works on the host", on_host(sight.name, sight.vendor.look))


def smi(sight: Sight, plugin: Pod | None, arguments: str) -> str:
    """nvidia-smi where it can be run: in the device plugin's pod, which sees all GPUs, else on the host."""
    if plugin is None:
        return on_host(sight.name, f"nvidia-smi {arguments}")
    return f"kubectl -n {quoted(plugin.namespace)} exec {quoted(plugin.name)} -- nvidia-smi {arguments}"
