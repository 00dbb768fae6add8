"""When gpubot is blind: a source from which nothing was heard for too long. Pure: readings and the time in, news out.

A source that was never heard counts from the start. What is told once is told again only when it is over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.domain.text import inert
from bot.domain.words import duration

SLACK, STORE = "Slack", "the store"


@dataclass(frozen=True, slots=True)
class Limits:
    """After how many seconds of silence each kind of source counts as silent."""

    cluster: float = 180.0  # the API server of a cluster that does not change says something about once a minute
    slack: float = 60.0
    store: float = 120.0
    agents: float = 600.0


@dataclass(frozen=True, slots=True)
class Heard:
    """One source: when it was heard last (None: never), and what is said of it now. means: what cannot be told then."""

    source: str
    limit_seconds: float
    at: datetime | None
    why: str = ""
    means: str = ""


@dataclass(frozen=True, slots=True)
class Blind:
    """One that is silent, and since when."""

    source: str
    since: datetime
    why: str = ""
    means: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """Something began, or is over (`seconds`: how long it lasted)."""

    blind: Blind
    seconds: float | None = None

    @property
    def over(self) -> bool:
        return self.seconds is not None

    @property
    def text(self) -> str:
        one = self.blind
        since = f"{one.since:%H:%M} UTC"
        if self.seconds is not None:
            return f"I hear {one.source} again. It was silent since {since}, for {duration(self.seconds)}."
        why = f" ({inert(one.why, 160)})" if one.why else ""
        means = f" {one.means}" if one.means else ""
        return f"I hear nothing from {one.source} since {since}{why}.{means}"


def blind(heard: Iterable[Heard], started_at: datetime, now: datetime) -> dict[str, Blind]:
    """Those that have been silent for too long, by name."""
    silent = ((one, one.at or started_at) for one in heard)
    return {
        one.source: Blind(one.source, since, one.why, one.means)
        for one, since in silent
        if (now - since).total_seconds() > one.limit_seconds
    }


def news(before: Mapping[str, Blind], after: Mapping[str, Blind], now: datetime) -> tuple[News, ...]:
    """What began, then what is over."""
    began = [News(one) for name, one in after.items() if name not in before]
    over = [News(one, (now - one.since).total_seconds()) for name, one in before.items() if name not in after]
    return (*began, *over)
