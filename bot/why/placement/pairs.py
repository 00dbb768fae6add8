"""Two changes of the pod that only help together: another label to ask for, and a taint to tolerate."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import LIFECYCLE_TAINTS, Taint
from bot.domain.words import names
from bot.why.change import DropSelector, Tolerate, World
from bot.why.placement import template
from bot.why.placement.nodes import CONTROL_PLANE, Survey
from bot.why.placement.starting import STARTING

TRIED_MOST = 4  # of each


def remedies(survey: Survey, world: World) -> Iterator[Remedy]:
    """At most one. Asked where no single change of these helps."""
    keys = list(survey.pod.spec.node_selector)
    for term in survey.pod.spec.node_terms or ():
        keys += [one.key for one in term.expressions]
    for key in list(dict.fromkeys(keys))[:TRIED_MOST]:
        for taint in _taints(survey)[:TRIED_MOST]:
            both = Tolerate(taint.key, taint.value, taint.effect).apply(DropSelector(key).apply(world))
            if fits := both.fits(at_most=3):
                way = template.edited(survey)
                yield Remedy(
                    f"Both at once: do not ask for the label `{key}`, and tolerate the taint `{taint}`: it then fits "
                    f"on {names(fits)}{way.how}",
                    way.command,
                    verified=True,
                    cost="; ".join(filter(None, ("those nodes are set apart on purpose: ask first", way.cost))),
                )
                return


def _taints(survey: Survey) -> list[Taint]:
    """Those that keep it from some node, by what the filters found; not those that mean trouble."""
    found: dict[str, Taint] = {}
    for rejections in survey.verdict.nodes.values():
        for one in rejections:
            taint = one.failure.detail
            if isinstance(taint, Taint) and taint.key not in LIFECYCLE_TAINTS | CONTROL_PLANE | STARTING.keys():
                found.setdefault(str(taint), taint)
    return list(found.values())
