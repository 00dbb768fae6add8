"""A node that rejects every GPU pod: it stays Ready and looks empty, so the scheduler sends all new ones to it.

NVIDIA/k8s-device-plugin#231, #1223, #2038: the plugin reads the links of all GPUs before it hands out one, so a single
lost GPU fails each allocation. kubernetes/kubernetes#130145: a kubelet with stale devices does the same.
"""

import re
from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.time import seconds_since
from bot.domain.words import count, duration, names
from bot.gpu import xid
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import asks_gpu, clock
from bot.gpu.stack.sight import Sight

ID = "rejects"
EXPLAINS = frozenset({"xid", "condition", "unhealthy"})
FEWEST = 3
RECENT_SECONDS = 3600.0
LATELY_SECONDS = 600.0
_REASON = "UnexpectedAdmissionError"
_OWN = Pattern(r"maximum request size|unknown device|Topology", re.IGNORECASE)  # the pod asked for what cannot be
_LOST = Pattern(r"GPU is lost|fallen off the bus|GPU_IS_LOST|device handle", re.IGNORECASE)


def find(sight: Sight) -> Fault | None:
    rejected = rejections(sight)
    if len(rejected) < FEWEST or _accepted_since(sight, rejected):
        return None
    newest = seconds_since(rejected[-1].created, sight.now)
    if newest is None or newest > RECENT_SECONDS:
        return None
    message = _message(sight, rejected)
    if _OWN.search(message):
        return None
    lost = bool(_LOST.search(message))
    return Fault(
        ID,
        sight.name,
        _sentence(sight, rejected, lost),
        evidence=tuple(_evidence(sight, rejected, message)),
        remedies=tuple(_remedies(sight, rejected, lost)),
        useless=tuple(_useless(sight, lost)),
        explains=EXPLAINS,
    )


def rejections(sight: Sight) -> list[Pod]:
    """GPU pods that the kubelet refused there, the oldest first; not those that had done their work before."""
    found = [
        pod
        for pod in sight.view.on_node(sight.name)
        if pod.phase == "Failed"
        and pod.reason == _REASON
        and asks_gpu(pod)
        and not any(state.terminated for state in pod.states)
    ]
    return sorted(found, key=lambda pod: (pod.created, pod.name))


def _accepted_since(sight: Sight, rejected: list[Pod]) -> bool:
    """Whether a GPU pod has come to run there since the first refusal: then the node does not reject every pod."""
    return any(pod.phase == "Running" and pod.created > rejected[0].created for pod in sight.users)


def _message(sight: Sight, rejected: list[Pod]) -> str:
    for pod in reversed(rejected):
        whole = sight.evidence.object("Pod", pod.namespace, pod.name).text("status", "message")
        told = [one.message for one in sight.view.events_on("Pod", pod.namespace, pod.name) if one.reason == _REASON]
        if message := next((one for one in (whole, *told) if one), ""):
            return message
    return ""


def _sentence(sight: Sight, rejected: list[Pod], lost: bool) -> str:
    why = "one GPU is lost, and the plugin hands out none while it cannot read all" if lost else ""
    return (
        f"{sight.name} rejects every GPU pod: {len(rejected):,} since {clock(rejected[0].created)}; it stays Ready and "
        f"looks empty, so the scheduler sends each new pod there{f' ({why})' if why else ''}"
    )


def _evidence(sight: Sight, rejected: list[Pod], message: str) -> Iterator[str]:
    last = seconds_since(rejected[-1].created, sight.now) or 0.0
    first = seconds_since(rejected[0].created, sight.now) or 0.0
    lately = sum(1 for pod in rejected if (seconds_since(pod.created, sight.now) or 0) <= LATELY_SECONDS)
    yield (
        f"{count(len(rejected), 'pod')} rejected in {duration(max(1.0, first))}, {lately:,} of them in the last "
        f"{duration(LATELY_SECONDS)}, the newest {duration(max(1.0, last))} ago"
    )
    owners = {f"{pod.namespace}/{pod.owner.name}" if pod.owner else pod.key for pod in rejected}
    yield f"of {names(sorted(owners))}; {len(sight.users)} GPU pods run there, {sight.offered} GPUs are offered"
    if message:
        yield f"kubelet: “{inert(message, 300)}”"
    hardware = [one for one in sight.kernel.xids if xid.of(one.code).of_gpu]
    if hardware:
        yield f"kernel: {xid.of(hardware[0].code).told} on {hardware[0].bus}"


def _remedies(sight: Sight, rejected: list[Pod], lost: bool) -> Iterator[Remedy]:
    yield commands.cordon(sight.name)
    if not lost:
        yield from _restart_plugin(sight)
    yield commands.drain(sight)
    yield commands.reboot(sight.name, "if the GPU is not back after it, power the machine off and on, or replace it")
    for namespace in sorted({pod.namespace for pod in rejected})[:2]:
        yield Remedy(
            f"Delete the failed pods of {namespace}",
            f"kubectl -n {commands.quoted(namespace)} delete pods "
            f"--field-selector status.phase=Failed,spec.nodeName={commands.quoted(sight.name)}",
            cost="their objects only: they never ran",
        )


def _restart_plugin(sight: Sight) -> Iterator[Remedy]:
    for pod in sight.links.get(Link.DEVICE_PLUGIN, ())[:1]:
        yield Remedy(
            "Restart the device plugin there: it registers its GPUs anew with the kubelet", commands.delete(pod)
        )


def _useless(sight: Sight, lost: bool) -> Iterator[str]:
    yield f"Trying again does not help: the next pod goes to {sight.name} as well, until it is cordoned"
    if lost:
        yield "Its other GPUs cannot be used either: the plugin reads the links of all of them before it hands out one"
