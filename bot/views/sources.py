"""The end of every answer: how old its data is, and what could not be read."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from bot.domain.answer import SourceLine
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.domain.words import duration

MEANING = {
    "namespaces": "teams by namespace label",
    "replicasets": "which Deployment a ReplicaSet belongs to",
    "jobs": "what a Job belongs to",
    "resourceslices": "devices handed out by claims (DRA)",
    "resourceclaims": "who holds devices handed out by claims (DRA)",
}


def footer(view: View, now: datetime, needed: Sequence[str], *, coverage: str = "") -> tuple[str, ...]:
    """Age of the data, how much of the cluster it covers, which cluster."""
    heard = view.oldest(*needed)
    age = _age(heard, now) if heard else "age not known"
    stale = [name for name in needed if view.source(name).reading is Reading.STALE]
    broken = f"no connection to the cluster for {', '.join(stale)}: last known state" if stale else ""
    partial = [
        source.detail for name in needed if (source := view.source(name)).known and source.detail and name not in stale
    ]
    return tuple(item for item in (age, broken, *dict.fromkeys(partial), coverage, f"cluster {view.cluster}") if item)


def _age(heard: datetime, now: datetime) -> str:
    return f"{duration(max(0.0, (now - heard).total_seconds()))} old ({heard.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC)"


def not_read(missing: Iterable[Source]) -> list[str]:
    """One line for each source that is not known: what it would have told, and why it did not."""
    return [f"{source.name}{_meaning(source.name)}: {source.detail or _plainly(source.reading)}" for source in missing]


def lines(view: View, now: datetime, names: Iterable[str]) -> Iterator[SourceLine]:
    for name in names:
        source = view.source(name)
        age = source.age_seconds(now)
        yield SourceLine(name, str(source.reading), None if age is None else round(age, 1), source.detail)


def _meaning(name: str) -> str:
    return f" ({MEANING[name]})" if name in MEANING else ""


def _plainly(reading: Reading) -> str:
    return {
        Reading.FORBIDDEN: "not allowed",
        Reading.SILENT: "no answer",
        Reading.UNREAD: "not read",
    }.get(reading, str(reading))
