"""Where a view's data came from, how old it is, and what could not be read.

Unknown is a third answer: a kind that was not read is neither empty nor fine.
"""

import enum
from datetime import datetime

import msgspec


class Reading(enum.StrEnum):
    """How the reading of one kind stands."""

    LIVE = "live"  # listed, and watched now
    READ = "read"  # listed once, complete at that time
    STALE = "stale"  # was read; the connection is gone since, the last state is kept
    FORBIDDEN = "forbidden"  # the API server says no
    ABSENT = "absent"  # the API server does not know the kind: there is none
    SILENT = "silent"  # no answer, or none that could be understood
    UNREAD = "unread"  # nobody looked (a folder without it)


KNOWN = frozenset({Reading.LIVE, Reading.READ, Reading.STALE, Reading.ABSENT})


class Source(msgspec.Struct, frozen=True):
    """One kind of one cluster: `name` is its plural (`pods`), `detail` a short clause for people when not fine."""

    name: str
    reading: Reading
    heard_at: datetime | None = None  # last word from the API server on this kind; None: never
    detail: str = ""

    @property
    def known(self) -> bool:
        """Whether the view's records of this kind may be counted."""
        return self.reading in KNOWN

    def age_seconds(self, now: datetime) -> float | None:
        """Seconds since the last word; never negative, since clocks differ."""
        return None if self.heard_at is None else max(0.0, (now - self.heard_at).total_seconds())
