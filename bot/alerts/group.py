"""What is told together, over looks: a bundle goes on the group that has its alerts, or one that explains it.

Where neither is there it opens one. Where it holds alerts of several, those are merged: what looked like several
things has one root. What comes back soon after it was over opens its group again.
"""

from datetime import timedelta

from bot.alerts import topology
from bot.alerts.stage import Round, Stage
from bot.domain.alert import Bundle, Content
from bot.domain.alert_state import Group, Kind, Phase, Standing
from bot.domain.words import count


def run(round_: Round) -> None:
    reaches = topology.reaches(round_)
    for place, bundle in enumerate(round_.look.bundles):
        if all(one.silence for one in _firing(round_, bundle)):
            _silent(round_, place, bundle)
            continue
        number, why = _home(round_, reaches, bundle)
        if not number:
            number, why = _again(round_, bundle) or _open(round_, bundle)
        _join(round_, number, place, bundle, why)
        reaches[number] = reaches.get(number, topology.Reach()) | topology.of_bundle(bundle)
    for number, places in round_.bundles_of.items():
        _content(round_, number, [round_.look.bundles[place] for place in places])


def _firing(round_: Round, bundle: Bundle) -> list[Standing]:
    standings = (round_.alerts[one.fingerprint] for one in bundle.alerts)
    return [one for one in standings if one.phase is Phase.FIRING]


def _silent(round_: Round, place: int, bundle: Bundle) -> None:
    """Nothing of it is to be told; a group that has it goes on all the same."""
    for number in {round_.alerts[one.fingerprint].incident for one in bundle.alerts}:
        if number in round_.groups and round_.groups[number].open:
            round_.bundles_of.setdefault(number, []).append(place)


# ---- where it belongs ----------------------------------------------------------------------------------------------


def _home(round_: Round, reaches: dict[int, topology.Reach], bundle: Bundle) -> tuple[int, str]:
    """The group it goes on, with why; 0 where there is none. Merges where there are several."""
    numbers = {round_.alerts[one.fingerprint].incident for one in bundle.alerts} & reaches.keys()
    explained = {number: why for number, one in reaches.items() if (why := topology.by_node(one, bundle))}
    found = sorted(number for number in {*numbers, *explained} if not round_.groups[number].closed)
    if not found:
        closed = sorted({*numbers, *explained})
        return (closed[0], "a person closed it") if closed else _by_owner(round_, reaches, bundle)
    first, *others = found
    for other in others:
        _merge(round_, first, other, explained.get(other) or f"both come from {bundle.root.cause}")
        reaches[first] |= reaches.pop(other)
    return first, explained.get(first, "")


def _by_owner(round_: Round, reaches: dict[int, topology.Reach], bundle: Bundle) -> tuple[int, str]:
    for number, one in sorted(reaches.items()):
        group = round_.groups[number]
        if not group.closed and (why := topology.by_owner(one, group, bundle)):
            return number, why
    return 0, ""


# ---- what becomes of it --------------------------------------------------------------------------------------------


def _again(round_: Round, bundle: Bundle) -> tuple[int, str] | None:
    since = round_.now - timedelta(seconds=round_.rules.reopen_seconds)
    for number in sorted({round_.alerts[one.fingerprint].incident for one in bundle.alerts}, reverse=True):
        group = round_.groups.get(number)
        if group is not None and group.resolved_at is not None and group.resolved_at > since:
            round_.set_group(number, resolved_at=None)
            round_.fresh.append(number)
            round_.say(Kind.REOPENED, "it came back", number=number)
            return number, ""
    return None


def _open(round_: Round, bundle: Bundle) -> tuple[int, str]:
    number = round_.next_number
    round_.next_number += 1
    round_.groups[number] = Group(
        number=number, root=bundle.root.fingerprint, content=bundle.content, opened_at=round_.now
    )
    round_.fresh.append(number)
    round_.say(Kind.OPENED, round_.alerts[bundle.root.fingerprint].why or "new", number=number)
    return number, ""


def _merge(round_: Round, into: int, other: int, why: str) -> None:
    for standing in list(round_.of_group(other)):
        round_.set(standing.alert.fingerprint, incident=into)
    round_.bundles_of.setdefault(into, []).extend(round_.bundles_of.pop(other, []))
    del round_.groups[other]
    if other in round_.fresh:
        round_.fresh.remove(other)
    round_.say(Kind.MERGED, why, number=into, other=other)


def _join(round_: Round, number: int, place: int, bundle: Bundle, why: str) -> None:
    round_.bundles_of.setdefault(number, []).append(place)
    added = []
    for alert in bundle.alerts:
        if round_.alerts[alert.fingerprint].incident != number:
            round_.set(alert.fingerprint, incident=number)
            added.append(alert)
    if added and number not in round_.fresh and not round_.groups[number].closed:
        reason = why or f"{count(len(added), 'more alert')} with the same root"
        round_.say(Kind.JOINED, reason, number=number, standing=round_.alerts[added[0].fingerprint])


def _content(round_: Round, number: int, bundles: list[Bundle]) -> None:
    """The gravest tells what it is; whom the others hit is told with it."""
    main = min(bundles, key=lambda one: (not one.root.grave, one.content.severity.rank))
    hits = {hit.owner: hit for one in reversed([main, *bundles]) for hit in one.content.hits}
    places = tuple(dict.fromkeys(place for one in (main, *bundles) for place in one.content.places))
    content = _with(main.content, tuple(hits.values()), places)
    round_.set_group(number, root=main.root.fingerprint, content=content)


def _with(content: Content, hits: tuple[object, ...], places: tuple[str, ...]) -> Content:
    if content.hits == hits and content.places == places:
        return content
    return Content(
        **{name: getattr(content, name) for name in content.__struct_fields__} | {"hits": hits, "places": places}
    )


STAGE = Stage("group", run, __doc__ or "")
