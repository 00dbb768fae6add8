"""No taint keeps the GPU stack off the node, and pods that want its GPUs tolerate what it has.

A taint that reserves a node, and a cordon, are somebody's decision: told, and no fault.
"""

from collections.abc import Iterator

from bot.checks.preflight.ground import Ground
from bot.checks.preflight.point import Outcome, Point
from bot.checks.preflight.shared import chooses
from bot.domain.answer import Remedy
from bot.domain.node import LIFECYCLE_TAINTS, Taint
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.words import names
from bot.gpu import cordon
from bot.gpu.kind import is_gpu_resource
from bot.gpu.stack import commands
from bot.gpu.stack.link import NEEDED, Link
from bot.gpu.stack.placement import of_daemonset

_CORDON = "node.kubernetes.io/unschedulable"


def judge(ground: Ground) -> Outcome:
    node = ground.scene.node
    taints = [one for one in node.taints if one.blocks and one.key != _CORDON]
    pressing = next((one for one in taints if one.key in LIFECYCLE_TAINTS), None)
    if pressing is not None:
        return _pressed(ground, pressing)
    barred = next(_barred(ground), None)
    if barred is not None:
        thing, taint = barred
        return ground.wrong(
            "taint.stack",
            f"has the taint `{taint}`, which {thing.key} of the GPU stack does not tolerate",
            remedies=(*_fixes(ground), Remedy(f"Let {thing.key} tolerate `{taint.key}` with operator Exists")),
        )
    usual = [one for one in taints if _usual(ground, one)]
    refused = [(pod, one) for one in usual for pod in ground.shared.asking if _refused(ground, pod, one)]
    if refused:
        return _lacking(ground, refused)
    told = names([f"`{one}`" for one in taints]) if taints else "no taint"
    return ground.ok(f"has {told}", _waiting(ground), notes=_notes(ground, taints))


def _usual(ground: Ground, taint: Taint) -> bool:
    return taint.key in ground.scene.policy.usual_taints or is_gpu_resource(taint.key)


def _pressed(ground: Ground, taint: Taint) -> Outcome:
    if ground.changing:
        return ground.unknown("taint.node", f"has the taint `{taint}`")
    look = Remedy("See what the node says", f"kubectl describe node {commands.quoted(ground.name)}")
    return ground.wrong("taint.node", f"has the taint `{taint}`: Kubernetes keeps pods off it", remedies=(look,))


def _barred(ground: Ground) -> Iterator[tuple[Thing, Taint]]:
    """DaemonSets of the stack that only a taint keeps off a node that offers nothing."""
    sight = ground.scene.sight
    if sight.offered or ground.changing:
        return
    for link in (Link.NODE_FEATURES, *NEEDED):
        things = sight.plugins if link is Link.DEVICE_PLUGIN else sight.daemonsets.get(link, ())
        for thing in things if link not in sight.links else ():
            obstacle = of_daemonset(thing).obstacle(sight.node)
            if obstacle is not None and obstacle.taint is not None and not obstacle.labels:
                yield thing, obstacle.taint


def _fixes(ground: Ground) -> Iterator[Remedy]:
    """What the chain's own fault advises, where it is about a toleration."""
    for fault in ground.scene.faults:
        yield from (one for one in fault.remedies if "tolerate" in one.action)


def _refused(ground: Ground, pod: Pod, taint: Taint) -> bool:
    return chooses(pod, ground.scene.node) and not any(one.tolerates(taint) for one in pod.spec.tolerations)


def _lacking(ground: Ground, refused: list[tuple[Pod, Taint]]) -> Outcome:
    taint = refused[0][1]
    pods = [pod.key for pod, _ in refused]
    return ground.wrong(
        "taint.pods",
        f"has the taint `{taint}`, and GPU pods that wait do not tolerate it: {names(pods)}",
        remedies=(Remedy(f"Give their template a toleration for `{taint.key}` with operator Exists"),),
    )


def _waiting(ground: Ground) -> str:
    if not ground.scene.view.knows("pods"):
        return "whether waiting pods tolerate it is not known: pods were not read"
    return "no waiting GPU pod lacks a toleration for it"


def _notes(ground: Ground, taints: list[Taint]) -> Iterator[str]:
    node = ground.scene.node
    reserved = [f"`{one}`" for one in taints if not _usual(ground, one)]
    if reserved:
        yield f"{node.name} takes only pods that tolerate {names(reserved)}"
    if node.unschedulable:
        yield f"{node.name} is cordoned {cordon.who(node)}".rstrip()


POINT = Point(5, "taints", "taints are tolerated", True, judge, __doc__ or "")
