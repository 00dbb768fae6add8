"""Saying again only what changed: how bad it is, what is behind it, or whom it hits. All else is the same news.

More nodes with the same fault are news when they are half as many again; numbers within a sentence are none.
"""

from bot.alerts.stage import Round, Stage
from bot.domain.alert import Content
from bot.domain.alert_state import Kind, Phase, Told
from bot.domain.severity import Severity
from bot.domain.words import count, names

MORE = 1.5


def run(round_: Round) -> None:
    silences = _silences(round_)
    for number, group in list(round_.groups.items()):
        if not group.open:
            continue
        now = _told(group.content, silences.get(number, 0))
        news = "" if group.told is None else _news(group.told, now, group.content)
        if group.told is None or news:
            round_.set_group(number, told=now)
            if news and number not in round_.fresh:
                round_.say(Kind.CHANGED, news, number=number)
        elif number in round_.before and number not in round_.fresh and _same(round_.before[number].content, now):
            round_.set_group(number, content=round_.before[number].content)  # the same in other words


def _same(before: Content, now: Told) -> bool:
    """Whether what is kept already says as much: a message is edited for a node more, and not for a minute more."""
    return _told(before, now.silence) == now


def _silences(round_: Round) -> dict[int, int]:
    """The silence that each group is under: one that holds for every alert of it."""
    found: dict[int, set[int]] = {}
    for one in round_.alerts.values():
        if one.phase is Phase.FIRING and one.incident:
            found.setdefault(one.incident, set()).add(one.silence)
    return {number: max(those) for number, those in found.items() if 0 not in those}


def _told(content: Content, silence: int) -> Told:
    return Told(
        severity=content.severity,
        cause=content.cause,
        nodes=len(content.nodes),
        owners=tuple(sorted(one.owner for one in content.hits)),
        ready=sum(one.ready for one in content.hits),
        silence=silence,
    )


def _news(before: Told, now: Told, content: Content) -> str:
    """In words; empty where there is none."""
    found = []
    if now.severity is not before.severity:
        worse = now.severity is Severity.CRITICAL
        found.append(f"it is {now.severity} now" if worse else f"it is only a {now.severity} now")
    if now.cause != before.cause:
        found.append(f"the cause is {now.cause} now, it was {before.cause}: {content.title}")
    if now.nodes >= max(before.nodes * MORE, before.nodes + 1) or now.nodes < before.nodes / MORE:
        found.append(f"{count(now.nodes, 'node')} now, {before.nodes:,} before")
    found += _owners(before, now)
    if now.silence != before.silence:
        found.append(f"silence {now.silence} holds" if now.silence else f"silence {before.silence} is over")
    return "; ".join(found)


def _owners(before: Told, now: Told) -> list[str]:
    added, left = sorted({*now.owners} - {*before.owners}), sorted({*before.owners} - {*now.owners})
    found = [f"it hits {names(added)} as well"] if added else []
    found += [f"{names(left)} is no longer hit"] if left else []
    if not (added or left) and now.ready != before.ready:
        found.append(f"{count(now.ready, 'replica')} of {names(now.owners)} Ready, {before.ready:,} before")
    return found


STAGE = Stage("repeat", run, __doc__ or "")
