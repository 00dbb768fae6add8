"""What is remembered of alerts from one look to the next, over restarts, too: plain data that never changes once made.

What is remembered of one alert is a `Standing`; what is told together is a `Group`, which has its incident's number.
"""

import enum
from collections.abc import Mapping
from datetime import datetime

import msgspec

from bot.domain.alert import Alert, Content
from bot.domain.severity import Severity


class Phase(enum.StrEnum):
    """Where an alert stands."""

    PENDING = "pending"  # held down: it may be over in a moment
    FIRING = "firing"
    GONE = "gone"  # over, and remembered for a while in case it comes back


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of one alert.

    sweeps: in how many in a row it was seen, as far as that counts; missed: in how many in a row its subject was seen
    well. turns: when it came, the newest last. incident: the group that it is told in; 0: none. why: the last decision
    about it in words.
    """

    alert: Alert
    phase: Phase = Phase.PENDING
    first_at: datetime
    sweeps: int = 1
    missed: int = 0
    fired_at: datetime | None = None
    gone_at: datetime | None = None
    turns: tuple[datetime, ...] = ()
    incident: int = 0
    silence: int = 0
    why: str = ""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What was told of a group last: only what differs from this is worth saying again."""

    severity: Severity
    cause: str
    nodes: int = 0
    owners: tuple[str, ...] = ()
    ready: int = 0
    silence: int = 0


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Alerts that are told together. `number` is their incident's.

    root: fingerprint of what is behind them. quiet: it has no thread of its own (a storm, quiet hours). pinned: a
    person put it together. apart: for how many sweeps in a row its alerts had several roots. closed: a person closed
    it, and it is not told again until it was gone.
    """

    number: int
    root: str
    content: Content
    opened_at: datetime
    resolved_at: datetime | None = None
    told: Told | None = None
    channel: str = ""
    mention: str = ""
    quiet: str = ""
    pinned: bool = False
    apart: int = 0
    closed: bool = False

    @property
    def open(self) -> bool:
        return self.resolved_at is None and not self.closed


class Storm(msgspec.Struct, frozen=True, kw_only=True):
    """Many new groups at once: one digest stands for those that have no thread. `number`: of the first of them."""

    number: int
    began_at: datetime
    last_at: datetime
    members: tuple[int, ...] = ()
    channel: str = ""
    ended_at: datetime | None = None


class AlertState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is remembered of one cluster's alerts: standings by fingerprint, groups by number."""

    alerts: Mapping[str, Standing] = {}
    groups: Mapping[int, Group] = {}
    opened: tuple[datetime, ...] = ()
    storm: Storm | None = None


class Kind(enum.StrEnum):
    """What is decided about a group, or about one alert."""

    HELD = "held"  # it has not stood long enough
    FIRES = "fires"  # it has, and belongs to a group
    INHIBITED = "inhibited"  # something else explains it
    SILENCED = "silenced"
    OPENED = "opened"
    REOPENED = "reopened"
    JOINED = "joined"
    MERGED = "merged"
    SPLIT = "split"
    CHANGED = "changed"  # severity, cause or blast radius
    KEPT = "kept"  # gone from view, but nobody saw it well
    OVER = "over"  # one alert
    RESOLVED = "resolved"  # the whole group
    STORM = "storm"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided, about which group and alert, and why. `other`: the group that was merged or split off."""

    kind: Kind
    reason: str
    number: int = 0
    fingerprint: str = ""
    subject: str = ""
    other: int = 0
