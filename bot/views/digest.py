"""The morning's and the week's digest: the most important in its first line, a bar beside each number in words."""

from collections.abc import Iterator

from bot.domain.document import Bullets, Document, Line, Part, table
from bot.domain.incident import Incident
from bot.domain.text import inert
from bot.domain.words import capped, count, duration, names
from bot.incidents.digest import TARGET, WASTE_HOURS, Digest
from bot.views.incident_root import title
from bot.views.shortened import shortened

ROWS, LINE_MAX, BAR = 8, 160, 20


def show(told: Digest, name: str) -> Document:
    """name: `day` or `week`."""
    verdict = f"The last {name} of {inert(told.cluster)}: {_head(told)}"
    footer = (f"{told.since:%Y-%m-%d %H:%M} to {told.until:%Y-%m-%d %H:%M} UTC",)
    return shortened(Document((verdict,), tuple(_parts(told)), footer))


def _head(told: Digest) -> str:
    incidents = (
        f"{count(len(told.opened), 'incident')}, {len(told.alive):,} {'lasts' if len(told.alive) == 1 else 'last'}"
    )
    return f"{incidents}; {_use(told)}" if told.use.mean is not None else incidents


def _use(told: Digest) -> str:
    mean = told.use.mean or 0.0
    how = "above" if mean >= TARGET else "below"
    return f"GPUs were {mean:.0%} busy, {how} the target of {TARGET:.0%}"


def _parts(told: Digest) -> Iterator[Part]:
    if told.alive:
        yield Bullets("They last", tuple(_incident(one) for one in told.alive[:ROWS]))
    if told.waiting:
        yield Bullets("Kept for the morning", tuple(_incident(one) for one in told.waiting[:ROWS]))
    if told.opened:
        yield Bullets("Incidents", tuple(_numbers(told)))
    if told.use.mean is not None:
        yield Bullets("Use of GPUs", ((f"{_bar(told.use.mean)} {_use(told)}",),))
    waste = [(inert(who), f"{hours:,.0f}") for who, hours in told.use.idle_hours if hours >= WASTE_HOURS]
    if waste:
        left = len(waste) - ROWS
        more = f"and {left:,} more" if left > 0 else ""
        yield table(("GPUs that idled, by owner", "GPU hours"), waste[:ROWS], numeric=(1,), more=more)
    if told.drift:
        versions = [f"{inert(version)} on {count(number, 'node')}" for version, number in told.drift]
        yield Bullets("Driver versions differ", ((names(versions, 5),),))
    if told.due:
        yield Bullets("What will break", tuple((capped(inert(one), LINE_MAX),) for one in told.due[:ROWS]))


def _numbers(told: Digest) -> Iterator[Line]:
    causes = [f"{cause} ({number:,})" for cause, number in told.causes]
    yield (f"causes: {names(causes, 5)}",)
    if told.taken_after is not None:
        yield (f"taken after {duration(told.taken_after)} on average",)
    if told.ended_after is not None:
        yield (f"over after {duration(told.ended_after)} on average",)
    again = sum(one.reopened for one in told.opened)
    if again:
        yield (f"came back: {count(again, 'time')}",)


def _incident(one: Incident) -> Line:
    return (f"incident {one.number}, {one.state}, {one.content.severity}: {capped(title(one.content), LINE_MAX)}",)


def _bar(share: float) -> str:
    filled = round(min(1.0, max(0.0, share)) * BAR)
    return "█" * filled + "░" * (BAR - filled)
