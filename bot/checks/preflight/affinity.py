"""Pods can choose the node by a label that names its GPU, and the label says what the driver says."""

from bot.checks.preflight.ground import Ground
from bot.checks.preflight.point import Outcome, Point
from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.domain.words import names
from bot.gpu.kind import PRODUCT_LABELS
from bot.gpu.stack.link import Link

_DISCOVERED = PRODUCT_LABELS[0]
_RUN = Remedy("Run GPU feature discovery there: the operator brings it, and so does the device plugin's chart")


def judge(ground: Ground) -> Outcome:
    labels = ground.scene.node.labels
    key = next((key for key in PRODUCT_LABELS if labels.get(key)), "")
    if not key:
        return _unnamed(ground)
    if key == _DISCOVERED and (read := _read(ground)) and not _fits(labels[key], read):
        feature = next(iter(ground.scene.sight.links.get(Link.GPU_FEATURES, ())), None)
        return ground.wrong(
            "label.stale",
            f"has the label `{key}={labels[key]}`, and its driver lists {names(read)}",
            f"feature discovery there: {feature.key if feature else 'none'}",
            remedies=(_RUN,),
        )
    return ground.ok(f"can be chosen by `{key}={labels[key]}`")


def _unnamed(ground: Ground) -> Outcome:
    """Among nodes that have such a label it is out of reach for whoever uses it; where none has, nobody can miss it."""
    if not ground.scene.sight.offered:
        return ground.unknown("label.none", "has no label yet that names its GPUs")
    fact = "has no label that names its GPUs, so that no pod can ask for their kind"
    if ground.shared.labelled:
        return ground.wrong("label.none", fact, f"{ground.shared.labelled} other GPU nodes have one", remedies=(_RUN,))
    return ground.ok(fact, notes=(f"{ground.name} {fact}",))


def _read(ground: Ground) -> list[str]:
    return sorted({inert(gpu.name, 80) for gpu in ground.scene.gpus if gpu.name})


def _fits(label: str, names_read: list[str]) -> bool:
    """Feature discovery puts `-` for blanks, and adds how a card is cut or shared."""
    bare = label.removesuffix("-SHARED").partition("-MIG-")[0].casefold()
    read = [name.replace(" ", "-").casefold() for name in names_read]
    return any(bare in name or name in bare for name in read)


POINT = Point(7, "affinity", "labels name the GPUs for node affinity", False, judge, __doc__ or "")
