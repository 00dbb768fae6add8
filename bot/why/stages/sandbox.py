"""The pod's sandbox: network and runtime of the pod itself, before any image is pulled or container made.

The kubelet makes it again and again until it works (events FailedCreatePodSandBox, NetworkNotReady). Typical: the
runtime has no handler for the pod's RuntimeClass, the network plugin is not up or has no address left.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.words import duration
from bot.why.case import Case
from bot.why.finding import Finding, Stage
from bot.why.shell import kubectl
from bot.why.started.frames import unframed
from bot.why.started.kubelet_events import before_start, newest, times
from bot.why.started.network import trouble
from bot.why.started.plain import plain
from bot.why.started.say import clock, quote

_HANDLER = Pattern(r"no runtime for \\?\"?([\w.-]{1,80})\\?\"? is configured|RuntimeHandler \\?\"?([\w.-]{1,80})")
_PLUGIN = Pattern(r"plugin type=\\?\"?([\w.-]{1,60})")
YOUNG_SECONDS = 15 * 60
_USUAL_FIRST = frozenset({"no-runtime-handler", "network-not-ready"})
_NOT_UP = ("cni plugin not initialized", "NetworkPluginNotReady", "no networks found", "cni config uninitialized")


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    event = newest(before_start(case, "FailedCreatePodSandBox", "NetworkNotReady", "FailedPodSandBoxStatus"))
    if pod is None or event is None:
        return
    what, words, remedies = _told(pod, event.message)
    said = quote(unframed(event.message), 300)
    young = _young_seconds(case, pod) if what in _USUAL_FIRST else None
    yield Finding(
        f"sandbox.{what}",
        words + (f"; {pod.node} joined {duration(young)} ago, where that is usual at first" if young else ""),
        evidence=(f"kubelet on {pod.node}{times(event)}, last {clock(case, event.time)}: {said}",),
        remedies=() if young else remedies,
        until="the new node's own pods (network, container toolkit) have set it up" if young else "",
    )


def _young_seconds(case: Case, pod: Pod) -> float | None:
    """How old the node is, where it has just joined."""
    node = case.view.nodes.get(pod.node)
    age = case.age_seconds(node.created) if node else None
    return max(1.0, age) if age is not None and age < YOUNG_SECONDS else None


def _told(pod: Pod, message: str) -> tuple[str, str, tuple[Remedy, ...]]:
    """Id, sentence, remedies."""
    see = Remedy(f"See what else fails on {pod.node}", kubectl("describe", "node", pod.node))
    if found := _HANDLER.search(message):
        handler = found[1] or found[2]
        words = (
            f"the container runtime on {pod.node} has no handler `{handler}` configured, which its RuntimeClass "
            f"{f'`{plain(pod.runtime_class)}` ' if pod.runtime_class else ''}asks for, so its sandbox cannot be made"
        )
        return "no-runtime-handler", words, ()
    if any(text in message for text in _NOT_UP):
        words = f"the network of {pod.node} is not ready (no network plugin is set up there yet)"
        return "network-not-ready", words, (_network_pods(pod), see)
    if known := trouble(message, pod.node):
        told, words = known
        first = (Remedy(told.remedy),) if told.remedy else ()
        return told.id, words, (*first, _network_pods(pod)) if told.look else (*first, _annotation(pod))
    if found := _PLUGIN.search(message):
        words = f"the network plugin `{found[1]}` on {pod.node} cannot set up its network"
        return "network-failed", words, (_network_pods(pod), see)
    if "pull" in message and "image" in message:
        words = f"{pod.node} cannot pull the sandbox (pause) image, which every pod needs"
        return "pause-image", words, (Remedy("Check the node's way to the registry of the pause image"), see)
    return "failed", f"its sandbox cannot be made on {pod.node}: {quote(unframed(message))}", (see,)


def _annotation(pod: Pod) -> Remedy:
    return Remedy("See which networks it names", kubectl("-n", pod.namespace, "describe", "pod", pod.name))


def _network_pods(pod: Pod) -> Remedy:
    look = kubectl("-n", "kube-system", "get", "pods", "-o", "wide", "--field-selector", f"spec.nodeName={pod.node}")
    return Remedy(f"Look at the network plugin's pod on {pod.node}", look)


STAGE = Stage("sandbox", 92, judge, needs=frozenset({"pods", "events"}), docs=__doc__ or "")
