"""How many more pods may be made at all, before any node is looked at: one rule per file.

ration_order.py         a StatefulSet that makes its pods one after the other
ration_refused.py       a namespace that goes away, names that nobody has, pods that are refused already
ration_quota.py         ResourceQuota
ration_limit_range.py   LimitRange
ration_kueue.py         Kueue
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.pod import Pod
from bot.domain.words import count
from bot.scaling.ration import Ration
from bot.scaling.ration_kueue import of_kueue
from bot.scaling.ration_limit_range import of_limit_ranges
from bot.scaling.ration_order import of_order
from bot.scaling.ration_quota import of_quotas
from bot.scaling.ration_refused import of_last_refusal, of_names, of_namespace
from bot.scaling.standing import Standing


def rations(now: Standing, pods: Sequence[Pod], wanted: int) -> tuple[Ration, ...]:
    """Only those that let in fewer than `wanted`, the tightest first. `pods`: those of one replica."""
    found = [*of_namespace(now), *of_names(now), *of_last_refusal(now), *of_quotas(now, pods), *of_limit_ranges(now)]
    found += [*of_order(now), *of_kueue(now, pods)]
    found = [_after(one, now.missing) for one in found]
    return tuple(sorted((one for one in found if one.room < wanted), key=lambda one: one.room))


def _after(ration: Ration, missing: int) -> Ration:
    """What is left of it for new replicas once those that are asked for already have their part."""
    if not missing or not ration.room:
        return ration
    first = f"{count(missing, 'replica')} asked for already {'comes' if missing == 1 else 'come'} first"
    return replace(ration, room=max(0, ration.room - missing), why=f"{ration.why}, and {first}")
