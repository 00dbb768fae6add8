"""The runtime class exists, but the node's container runtime does not know its handler.

NVIDIA/gpu-operator#549, #598, #1651: the toolkit's pod wrote the handler into containerd's configuration and does not
watch the file. A reboot or the tool that manages the node wrote it anew.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import count
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.sight import Sight

ID = "handler"
EXPLAINS = frozenset({"plugin", "plugin_stopped", "missing", "unregistered", "operand"})
RECENT_SECONDS = 3600.0
# containerd, CRI-O, cri-dockerd
MISSING = Pattern(
    r"no runtime for \"(?P<containerd>[^\"]{1,60})\" is configured"
    r"|failed to find runtime handler (?P<crio>[\w.-]{1,60}) from runtime list"
    r"|RuntimeHandler \"(?P<docker>[^\"]{1,60})\" not supported"
)
_REWRITTEN = frozenset({"Rebooted", "Starting", "NodeReady"})
_K3S = ("k3s", "rke2")


def find(sight: Sight) -> Fault | None:
    found = _refusal(sight)
    if found is None:
        return None
    event, handler = found
    toolkit = next(iter(sight.links.get(Link.TOOLKIT, ())), None)
    return Fault(
        ID,
        sight.name,
        _sentence(sight, handler, toolkit),
        evidence=tuple(_evidence(sight, event, handler, toolkit)),
        remedies=tuple(_remedies(sight, handler, toolkit)),
        useless=tuple(_useless(sight, handler)),
        unknown=() if sight.view.knows("runtimeclasses") else ("RuntimeClasses were not read",),
        explains=EXPLAINS,
    )


def _refusal(sight: Sight) -> tuple[Event, str] | None:
    """The newest refusal of a sandbox on that node for a handler that is NVIDIA's."""
    for pod in sight.pods:
        if pod.phase != "Pending":
            continue
        for event in sight.view.events_on("Pod", pod.namespace, pod.name):
            match = MISSING.search(event.message) if event.reason == "FailedCreatePodSandBox" else None
            age = sight.age(event.time)
            handler = next(filter(None, match.groups()), "") if match else ""
            if "nvidia" in handler and (age is None or age <= RECENT_SECONDS):
                return event, handler
    return None


def _sentence(sight: Sight, handler: str, toolkit: Pod | None) -> str:
    there = []
    if _classes(sight, handler):
        there.append("the RuntimeClass exists")
    if toolkit is not None:
        state = "runs" if stuck(toolkit) is None else "is there but not ready"
        there.append(f"the toolkit's pod {toolkit.name} {state}")
    although = f", although {' and '.join(there)}" if there else ""
    return f"{sight.name}'s container runtime lacks the handler `{handler}`{although}"


def _classes(sight: Sight, handler: str) -> list[str]:
    things = sight.view.things("runtimeclasses").values()
    return [one.name for one in things if one.fields.text("handler") == handler]


def _evidence(sight: Sight, event: Event, handler: str, toolkit: Pod | None) -> Iterator[str]:
    yield f"{event.about_name}, {event.count}×, last {sight.ago(event.time)}: “{inert(event.message)}”"
    for name in _classes(sight, handler)[:1]:
        yield f"RuntimeClass `{name}` exists (handler `{handler}`)"
    if toolkit is not None:
        yield f"{toolkit.key} writes the handler when it starts, and does not watch the file after that"
    change = next((one for one in sight.events if one.reason == "Rebooted"), None) or next(
        (one for one in sight.events if one.reason in _REWRITTEN), None
    )
    if change is not None:
        yield f"{sight.ago(change.time)}: {inert(change.message or change.reason)}"


def _remedies(sight: Sight, handler: str, toolkit: Pod | None) -> Iterator[Remedy]:
    if toolkit is not None:
        yield Remedy(
            f"Restart the toolkit's pod on {sight.name}: it writes the handler anew and restarts containerd",
            commands.delete(toolkit),
            cost="running containers go on",
        )
        yield Remedy(
            "Stop the tool that rewrites containerd's configuration at a reboot, or have it write the handler too"
        )
        return
    if any(one in sight.node.kubelet_version for one in _K3S):
        yield Remedy(
            "Install nvidia-container-toolkit on the node and restart k3s: it finds the runtime when it starts",
            commands.on_host(sight.name, "systemctl restart k3s-agent"),
        )
        return
    placed = sight.daemonsets.get(Link.TOOLKIT, ())
    if placed:
        yield Remedy(
            f"See why DaemonSet {placed[0].key} has no pod on {sight.name}",
            f"kubectl -n {commands.quoted(placed[0].namespace)} describe daemonset {commands.quoted(placed[0].name)}",
        )
    yield Remedy(
        f"Write the handler `{handler}` on the node and restart containerd",
        commands.on_host(
            sight.name, "sh -c 'nvidia-ctk runtime configure --runtime=containerd && systemctl restart containerd'"
        ),
        cost=f"{count(len(sight.pods), 'pod')} there go on running",
    )


def _useless(sight: Sight, handler: str) -> Iterator[str]:
    if _classes(sight, handler):
        yield "Making the RuntimeClass anew does not help: the object is right, the node's configuration is not"
