"""What is wrong with routes, before an alert is lost for it: for `gpubot doctor` and for `/alerts`."""

import re
from collections.abc import Collection, Iterator

from bot.access import windows
from bot.domain.alert_rules import AlertRules, Route
from bot.domain.severity import Severity

_CHANNEL = re.compile(r"[CG][A-Z0-9]{2,}")
_MENTION = re.compile(r"[USW][A-Z0-9]{2,}")


def lint(rules: AlertRules, joined: Collection[str] | None = None) -> tuple[str, ...]:
    """Sentences, none where all is well. joined: ids of the channels that the bot is in; None: not asked."""
    return tuple(_problems(rules, joined))


def _problems(rules: AlertRules, joined: Collection[str] | None) -> Iterator[str]:
    if not rules.routes:
        yield "There is no route: alerts are remembered and told nowhere. Add one to `alerts.routes`."
        return
    names: set[str] = set()
    for number, route in enumerate(rules.routes, start=1):
        who = f"Route {number}{f' ({route.name})' if route.name else ''}"
        yield from (f"{who}: {problem}." for problem in _of_route(route, joined))
        if route.name and route.name in names:
            yield f"{who}: another route has that name."
        names.add(route.name)
        before = next((place for place, one in enumerate(rules.routes[: number - 1], 1) if _covers(one, route)), 0)
        if before:
            yield f"{who}: nothing ever comes to it, since route {before} takes all that fits it."
    if not any(_is_last(one) for one in rules.routes):
        yield "No route takes what fits no other: such alerts are told nowhere. Let the last route have no conditions."


def _of_route(route: Route, joined: Collection[str] | None) -> Iterator[str]:
    if not _CHANNEL.fullmatch(route.channel):
        yield f"{route.channel!r} is no channel's id: it begins with C (in Slack: the channel's details, at the end)"
    elif joined is not None and route.channel not in joined:
        yield f"the bot is not in channel {route.channel}, or there is none: invite it there"
    if route.mention and not _MENTION.fullmatch(route.mention):
        yield f"{route.mention!r} is no id of a person (U…) or user group (S…) to mention"
    for severity in route.severities:
        if severity not in (Severity.CRITICAL, Severity.WARNING):
            yield f"no alert is ever {severity!r}: there are critical and warning"
    for text in route.quiet:
        try:
            windows.parse(text)
        except ValueError as error:
            yield str(error)


def _is_last(route: Route) -> bool:
    return not (route.teams or route.namespaces or route.severities or route.causes or route.clusters)


def _covers(earlier: Route, later: Route) -> bool:
    """Whether all that fits the later one fits the earlier one as well."""
    fields = ("teams", "namespaces", "severities", "causes", "clusters")
    pairs = [(getattr(earlier, name), getattr(later, name)) for name in fields]
    return all(not wide or (narrow and set(narrow) <= set(wide)) for wide, narrow in pairs)
