"""Where a group goes: the first route that fits, by team, namespace, severity and cause. A mention is for what is
critical, once an incident; in quiet hours the rest waits until they are over.
"""

from datetime import datetime

from bot.access import windows
from bot.alerts.silence import like
from bot.alerts.stage import Round, Stage
from bot.domain.alert import Content
from bot.domain.alert_rules import AlertRules, Route
from bot.domain.alert_state import Group, Kind, Standing
from bot.domain.severity import Severity

QUIET = "quiet hours"


def run(round_: Round) -> None:
    for number, group in list(round_.groups.items()):
        if not group.open:
            continue
        if not group.channel:
            _first(round_, number)
        elif group.quiet == QUIET and (reason := _over(round_, group)):
            round_.set_group(number, quiet="", told=None)
            round_.say(Kind.CHANGED, reason, number=number)


def route_for(rules: AlertRules, cluster: str, content: Content, alerts: list[Standing]) -> Route | None:
    """The first that fits any of its alerts; None where none does."""
    return next((one for one in rules.routes if _fits(one, cluster, content, alerts)), None)


def of_nodes(rules: AlertRules, cluster: str, now: datetime) -> Route | None:
    """Where a warning goes that is about machines, of no team and no namespace; None where nothing is said now."""
    content = Content(title="", cause="preflight", severity=Severity.WARNING)
    found = route_for(rules, cluster, content, [])
    return None if found is None or is_quiet(found, now) else found


def is_quiet(route: Route, now: datetime) -> bool:
    """Whether one of its windows is open. What cannot be read as a window is none; `lint` says so."""
    return any(_open(text, now) for text in route.quiet)


def _first(round_: Round, number: int) -> None:
    group = round_.groups[number]
    route = route_for(round_.rules, round_.cluster, group.content, round_.firing(number))
    if route is None:
        return
    grave = group.content.severity is Severity.CRITICAL
    quiet = group.quiet or (QUIET if not grave and is_quiet(route, round_.now) else "")
    round_.set_group(number, channel=route.channel, mention=route.mention if grave else "", quiet=quiet)


def _over(round_: Round, group: Group) -> str:
    if group.content.severity is Severity.CRITICAL:
        return "it is critical now"
    route = route_for(round_.rules, round_.cluster, group.content, round_.firing(group.number))
    return "" if route is not None and is_quiet(route, round_.now) else "quiet hours are over"


def _fits(route: Route, cluster: str, content: Content, alerts: list[Standing]) -> bool:
    teams = {one.alert.team for one in alerts} | {one.team for one in content.hits}
    namespaces = {one.alert.namespace for one in alerts} | {one.owner.partition("/")[0] for one in content.hits}
    asked = (
        (route.clusters, {cluster}),
        (route.severities, {str(content.severity)}),
        (route.causes, {content.cause}),
        (route.teams, teams),
        (route.namespaces, namespaces),
    )
    return all(_any(patterns, values) for patterns, values in asked)


def _any(patterns: tuple[str, ...], values: set[str]) -> bool:
    return not patterns or any(like(value, pattern) for pattern in patterns for value in values)


def _open(text: str, now: datetime) -> bool:
    try:
        return windows.is_open([windows.parse(text)], now)
    except ValueError:
        return False


STAGE = Stage("route", run, __doc__ or "")
