"""A pod of the stack cannot get its image: nothing of it has run, so it has no log, and a restart changes nothing."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import ContainerState, Pod
from bot.domain.text import inert
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import NEEDED
from bot.gpu.stack.pods import NO_IMAGE, since, stuck
from bot.gpu.stack.sight import Sight

ID = "image"
EXPLAINS = frozenset("driver operand plugin plugin_stopped missing unregistered paused".split())


def find(sight: Sight) -> Fault | None:
    for link in NEEDED:
        for pod in sight.links.get(link, ()):
            held = stuck(pod)
            if held is not None and held.waiting in NO_IMAGE:
                return _fault(sight, f"{link}", pod, held)
    return None


def _fault(sight: Sight, link: str, pod: Pod, held: ContainerState) -> Fault:
    container = pod.container(held.name)
    image = container.image if container else ""
    return Fault(
        ID,
        sight.name,
        f"{sight.name}'s {link} {pod.key} cannot get its image{f' `{inert(image)}`' if image else ''} "
        f"({held.waiting} {sight.ago(since(pod))}".rstrip()
        + ")",
        evidence=tuple(_evidence(sight, pod)),
        remedies=tuple(_remedies(sight, pod, held, image)),
        useless=("Deleting that pod does not help: the next one asks for the same image",),
        explains=EXPLAINS,
    )


def _evidence(sight: Sight, pod: Pod) -> Iterator[str]:
    told = [one for one in sight.view.events_on("Pod", pod.namespace, pod.name) if "pull" in one.message.casefold()]
    told.sort(key=lambda one: "Failed to pull" not in one.message)  # it has the registry's own words
    if told:
        yield f"kubelet, {told[0].count}×, last {sight.ago(told[0].time)}: “{inert(told[0].message, 300)}”"
    if sight.expected is not None:
        yield f"that {sight.name} has GPUs: {sight.expected.source}"


def _remedies(sight: Sight, pod: Pod, held: ContainerState, image: str) -> Iterator[Remedy]:
    yield Remedy(
        "See what the registry answers: a tag that is not there, no access, or no way to it",
        f"kubectl -n {commands.quoted(pod.namespace)} describe pod {commands.quoted(pod.name)}",
    )
    if pod.owner is not None and pod.owner.kind == "DaemonSet":
        yield Remedy(
            f"Name an image that exists in DaemonSet {pod.namespace}/{pod.owner.name} (in its chart, or the operator's "
            f"ClusterPolicy, which would take a change of the DaemonSet back), or give it a pull secret",
            cost="its pods are restarted one after the other",
        )
