"""A topology spread rule that no node meets: which domain is too full, and what holds the minimum down."""

from bot.domain.text import natural
from bot.domain.words import names
from bot.scheduling.filters.pod_topology_spread import Skew, Spreads, prefilter
from bot.scheduling.spread import Spread
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.named import which
from bot.why.placement.nodes import CONTROL, NodeGroup, Survey
from bot.why.placement.told import Headline


def headline(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    """Too few domains for `minDomains` hold the minimum at 0 as well as domains that the pod may not use."""
    detail = leading.detail
    if not isinstance(detail, Skew):
        return Headline("spread.label", f"{which(group)} cannot take it: {leading.words}")
    rule = _rule(survey, detail.key)
    if rule is not None and rule.domains < rule.constraint.min_domains:
        return _too_few(group, detail, rule)
    return _uneven(survey, group, detail)


def _too_few(group: NodeGroup, detail: Skew, rule: Spread) -> Headline:
    wanted = rule.constraint.min_domains
    sentence = (
        f"its spread rule over `{detail.key}` wants {wanted} of them (`minDomains: {wanted}`) and the nodes that it "
        f"may use have {rule.domains}: until there are more, at most {detail.max_skew} of these pods may be in each, "
        f"and {detail.count} {'is' if detail.count == 1 else 'are'} on {which(group)} already"
    )
    numbers: dict[str, object] = {"min_domains": wanted, "domains": rule.domains}
    return Headline("spread.min-domains", sentence, numbers=numbers)


def _uneven(survey: Survey, group: NodeGroup, detail: Skew) -> Headline:
    rule = f"its spread rule over `{detail.key}` (at most {detail.max_skew} more than in the emptiest one)"
    there = f"{detail.count} of these pods {'is' if detail.count == 1 else 'are'} there already"
    sentence = f"{rule} keeps it off {which(group)}: {there}, and {detail.least} in the emptiest"
    empty = _unusable_domains(survey, detail.key) if detail.least == 0 else []
    evidence: tuple[str, ...] = ()
    if empty:
        sentence += f"; {names(empty)} count as empty although the pod may not go there, and hold that minimum at 0"
        evidence = (
            "By default tainted, cordoned and full nodes count in the spread (nodeTaintsPolicy: Ignore): "
            f"{names(empty, shown=6)} {'has' if len(empty) == 1 else 'have'} 0 of these pods and can never get one",
        )
    return Headline("spread.uneven", sentence, evidence, numbers={"least": detail.least, "max_skew": detail.max_skew})


def _rule(survey: Survey, key: str) -> Spread | None:
    """The constraint over that label as the filter counts it."""
    data = prefilter(survey.pod, survey.state).data
    rules = data.spreads if isinstance(data, Spreads) else []
    return next((one for one in rules if one.constraint.key == key), None)


def _unusable_domains(survey: Survey, key: str) -> list[str]:
    """Nodes that the spread counts but whose taints or cordon keep the pod away."""
    away = {Kind.TAINT, Kind.CORDON, Kind.NOT_READY}
    found = [name for group in survey.groups if group.kinds & away for name in group.nodes]
    found += survey.never.get(CONTROL, ())
    return sorted((name for name in found if key in survey.state.info(name).node.labels), key=natural)
