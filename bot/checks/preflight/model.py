"""All GPUs of a pool are of one model: behind one resource name a pod gets any of them.

Nodes without a pool's label are put together by their model, so nothing can be mixed there.
"""

from collections import Counter

from bot.checks.preflight.ground import Ground
from bot.checks.preflight.point import Outcome, Point
from bot.checks.preflight.shared import model, named_models
from bot.domain.answer import Remedy
from bot.domain.words import count, names
from bot.gpu.kind import short


def judge(ground: Ground) -> Outcome:
    inside = sorted({short(gpu.name) for gpu in ground.scene.gpus if gpu.name})
    if len(inside) > 1:
        return ground.wrong(
            "model.node",
            f"has GPUs of {len(inside)} models ({names(inside)}) behind one resource name",
            remedies=(Remedy("Give each model a resource name of its own in the device plugin's configuration"),),
        )
    ours = model(ground.scene)
    if not ours:
        return ground.unknown("model.untold", "has GPUs whose model no label and no reading names")
    for who, named in named_models(ground.scene.node):
        known = ground.shared.models.get((ground.pool, who), Counter())
        usual = max(known, key=lambda one: (known[one], one), default=named)
        if named != usual:
            return _unlike(ground, named, usual, known)
    return ground.ok(f"has {ours}{'' if ours == ground.pool else f', as most of pool {ground.pool}'}")


def _unlike(ground: Ground, ours: str, usual: str, known: Counter[str]) -> Outcome:
    others = [f"{one} ({count(number, 'node')})" for one, number in known.most_common()]
    return ground.wrong(
        "model.pool",
        f"has {ours} in pool {ground.pool}, where most have {usual}",
        f"pool {ground.pool}: {names(others, 5)}",
        remedies=(
            Remedy(
                "Put it into a pool of its own, or see that every GPU pod of the pool names its model "
                "(`nvidia.com/gpu.product`) in its node affinity"
            ),
        ),
    )


POINT = Point(8, "model", "one GPU model in the pool", False, judge, __doc__ or "")
