"""What there is to say of a day or a week: incidents with mean times and causes, use and waste of GPUs, what is due.

Where there is nothing to say there is no digest.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.incident import Book, Incident, IncidentState
from bot.domain.view import View
from bot.incidents.report import times
from bot.incidents.usage import Use

TARGET = 0.6  # of all GPU time
UNKNOWN = Use(None)
WASTE_HOURS = 1.0  # of an owner, below which nobody needs to hear of it
VERSIONS = ("nvidia.com/cuda.driver-version.full", "nvidia.com/cuda.driver.full")


@dataclass(frozen=True, slots=True)
class Digest:
    """Of one cluster since then. Mean times in seconds, None where there was nothing to measure.

    drift: driver versions with how many nodes have each, where there are several. due: what will break some day.
    """

    cluster: str
    since: datetime
    until: datetime
    opened: tuple[Incident, ...] = ()
    alive: tuple[Incident, ...] = ()
    waiting: tuple[Incident, ...] = ()
    taken_after: float | None = None
    ended_after: float | None = None
    causes: tuple[tuple[str, int], ...] = ()
    use: Use = UNKNOWN
    drift: tuple[tuple[str, int], ...] = ()
    due: tuple[str, ...] = ()

    @property
    def worth_saying(self) -> bool:
        """Versions that drift and low use alone are told in a digest, and make none by themselves every day."""
        waste = any(hours >= WASTE_HOURS for _, hours in self.use.idle_hours)
        return bool(self.opened or self.alive or waste or self.due)


def digest(
    book: Book, view: View, since: datetime, until: datetime, use: Use = UNKNOWN, due: Sequence[str] = ()
) -> Digest:
    """waiting: those that were kept until quiet hours are over."""
    opened = tuple(one for _, one in sorted(book.incidents.items()) if since <= one.opened_at < until)
    real = [one for one in opened if one.state is not IncidentState.MERGED]
    return Digest(
        cluster=book.cluster,
        since=since,
        until=until,
        opened=tuple(real),
        alive=tuple(book.alive()),
        waiting=tuple(one for one in book.alive() if one.quiet),
        taken_after=_mean(times(one).taken for one in real),
        ended_after=_mean(times(one).ended for one in real),
        causes=tuple(Counter(one.content.cause for one in real).most_common(5)),
        use=use,
        drift=drift(view),
        due=tuple(due),
    )


def drift(view: View) -> tuple[tuple[str, int], ...]:
    """Driver versions by how many nodes have them; nothing where all have the same."""
    found = Counter(
        version
        for node in view.nodes.values()
        if (version := next((node.labels[key] for key in VERSIONS if node.labels.get(key)), ""))
    )
    return tuple(found.most_common()) if len(found) > 1 else ()


def day(until: datetime) -> datetime:
    return until - timedelta(days=1)


def week(until: datetime) -> datetime:
    return until - timedelta(days=7)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None
