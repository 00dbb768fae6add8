"""Why a kubelet did not admit a pod that the scheduler had bound to its node.

kubernetes/kubernetes:pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/cm/devicemanager/manager.go; the device plugin's
own words are NVIDIA/k8s-device-plugin:internal/plugin/server.go.
"""

import re
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.words import count, duration
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.kubelet_words import message
from bot.why.started.owned import counted, replaced
from bot.why.started.say import delete_pod, quote

_DEVICES = Pattern(r"devices unavailable for ([\w./-]{1,120})\. Requested: (\d{1,6}), Available: (\d{1,6})")
_UNHEALTHY = Pattern(r"(?:no healthy devices present|no longer healthy)[;,:]? .*?unhealthy devices ([\w./-]{1,120})")
_UNREGISTERED = Pattern(r"cannot allocate unregistered device ([\w./-]{1,120})")
_SHARED = Pattern(r"maximum request size for shared resources is (\d{1,4}); found (\d{1,4})")
_ROOM = Pattern(r"enough resource: ([\w./-]{1,120}), requested: (\d+), used: (\d+), capacity: (\d+)")
_SICK = Pattern(r"GPU is lost|fallen off the bus|Unknown Error|Driver/library version mismatch|nvml", re.IGNORECASE)
_BEGAN = ("Rebooted", "Starting")
SOON_SECONDS = 15 * 60
_PREDICATES = frozenset({"NodeAffinity", "NodePorts", "TaintToleration", "NodeName", "NodeUnschedulable"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was found in the message. `useless` is told where people would try it."""

    id: str
    words: str
    remedies: tuple[Remedy, ...] = ()
    useless: tuple[str, ...] = ()


def rejected(case: Case, pod: Pod) -> Finding | None:
    """None where the reason is none of an admission."""
    text = message(case)
    refusal = _refusal(case, pod, text)
    if refusal is None:
        return None
    return Finding(
        f"kubelet.{refusal.id}",
        f"the kubelet on {pod.node} turned it away: {refusal.words}",
        evidence=(
            *([f"kubelet: {quote(text, 300)}"] if text else []),
            *_node_devices(case, pod),
            *_restarted(case, pod),
            *counted(case, pod, "rejected"),
            f"a rejected pod does not run again: {replaced(pod)}",
        ),
        remedies=(
            *refusal.remedies,
            Remedy("Delete the rejected pod when its place is cleared", delete_pod(pod), False),
        ),
        useless=refusal.useless,
    )


def _refusal(case: Case, pod: Pod, text: str) -> Refusal | None:
    if pod.reason.startswith("OutOf"):
        return _out_of(pod, text)
    if pod.reason == "UnexpectedAdmissionError":
        return _devices(case, pod, text)
    if pod.reason in _PREDICATES:
        return Refusal("predicate", f"the node does not fit it (any more), rule `{pod.reason}`", (_describe(pod),))
    return None


def _out_of(pod: Pod, text: str) -> Refusal:
    resource = pod.reason.removeprefix("OutOf")
    found = _ROOM.search(text)
    if resource == "pods":
        most = f": {int(found[3]):,} of {int(found[4]):,} are there" if found else ""
        words = f"{pod.node} had room for no more pods when it arrived{most}, though it was bound there"
        return Refusal("out-of-resource", words, (_bound_by(pod), _describe(pod)))
    figures = f" ({int(found[2]):,} asked for, {int(found[3]):,} of {int(found[4]):,} in use)" if found else ""
    words = f"{pod.node} had too little {resource} left when it arrived{figures}, though it was bound there"
    return Refusal("out-of-resource", words, (_bound_by(pod), _describe(pod)))


def _devices(case: Case, pod: Pod, text: str) -> Refusal:
    if found := _SHARED.search(text):
        words = f"it asks for {found[2]} shares of a shared GPU, and the device plugin hands out at most {found[1]}"
        more = "Ask for 1: more shares of a GPU give neither more memory nor more compute"
        return Refusal("shared-request", words, (Remedy(more),))
    if found := _UNREGISTERED.search(text):
        words = f"no device plugin has registered `{found[1]}` there, as after a reboot of the node or of the plugin"
        return Refusal("unregistered", words, (_plugin(pod),))
    if found := _UNHEALTHY.search(text):
        words = f"the device plugin marked all `{found[1]}` that are left as unhealthy"
        return Refusal("unhealthy", words, (_describe(pod), _plugin(pod)))
    if _SICK.search(text):
        return _sink(pod)
    if found := _DEVICES.search(text):
        asked = count(int(found[2]), "device")
        words = f"{found[3]} of the {asked} `{found[1]}` that it asks for were free when it arrived"
        return Refusal("devices", words, (_bound_by(pod), _describe(pod)))
    return Refusal("plugin", "the device plugin could not hand out what it asks for", (_plugin(pod), _describe(pod)))


def _sink(pod: Pod) -> Refusal:
    """The plugin looks at all GPUs before it hands out one, so one bad GPU fails them all."""
    return Refusal(
        "node-rejects-all",
        f"the device plugin there cannot read its GPUs any more, so {pod.node} rejects every GPU pod, looks empty to "
        "the scheduler and keeps drawing new ones",
        (Remedy(f"Keep new pods away from {pod.node} at once", kubectl("cordon", pod.node), False),),
    )


def _node_devices(case: Case, pod: Pod) -> tuple[str, ...]:
    """Where the node offers fewer than it has, or none at all."""
    node = case.view.nodes.get(pod.node)
    if node is None:
        return (f"node {pod.node} is not there any more",) if case.view.knows("nodes") else ()
    found = []
    for resource in sorted(set(pod.requests) & set(node.capacity)):
        capacity, allocatable = node.capacity[resource], node.allocatable.get(resource, 0)
        if "/" in resource and allocatable < capacity:
            found.append(f"{pod.node} offers {allocatable} of {capacity} `{resource}`: the rest are marked unhealthy")
    return tuple(found)


def _restarted(case: Case, pod: Pod) -> tuple[str, ...]:
    """Device plugins register minutes after a node or its kubelet began; pods bound before that find no devices."""
    arrived = case.age_seconds(pod.created)
    events = case.view.events_on("Node", "", pod.node)
    for event in sorted(events, key=lambda one: one.reason != "Rebooted"):
        began = case.age_seconds(event.time)
        if event.reason not in _BEGAN or arrived is None or began is None or not -60 <= began - arrived <= SOON_SECONDS:
            continue
        what = "was rebooted" if event.reason == "Rebooted" else "had its kubelet started"
        before = duration(max(1.0, began - arrived))
        return (f"{pod.node} {what} {before} before: its device plugin may not have registered its GPUs again by then",)
    return ()


def _describe(pod: Pod) -> Remedy:
    return Remedy(f"See what {pod.node} offers now and who holds it", kubectl("describe", "node", pod.node))


def _bound_by(pod: Pod) -> Remedy:
    why = "Look for who binds pods past the scheduler's count: `spec.nodeName` in the template, or a second scheduler"
    return Remedy(why, kubectl("-n", pod.namespace, "get", "pod", pod.name, "-o", "yaml"))


def _plugin(pod: Pod) -> Remedy:
    look = kubectl("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={pod.node}")
    return Remedy(f"Look at the device plugin pod on {pod.node}: does it run, what does it log", look)
