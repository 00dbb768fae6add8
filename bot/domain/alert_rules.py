"""What people decide about alerts beforehand: how long they are held down, where they go (the settings `alerts`)."""

from dataclasses import dataclass

from bot.domain.severity import Severity


@dataclass(frozen=True, slots=True)
class Hold:
    """An alert stands when it was seen in so many looks in a row, and for so long."""

    sweeps: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Route:
    """Where alerts go that fit: patterns as in `Matcher`; an empty field fits all.

    mention: Slack's id of a person or user group, mentioned once an incident where it is critical. quiet: windows
    (as people write them) in which what is not critical waits.
    """

    channel: str
    name: str = ""
    teams: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    mention: str = ""
    quiet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlertRules:
    """All of it. The first route that fits is taken.

    resolve_sweeps: in so many looks in a row the subject was seen well. flap_*: what came so often within that time
    flaps, and is over when it stayed away for so long. reopen_seconds: what comes back sooner is the same incident.
    storm_*: more new groups than that within that time are told in one digest, until none came for so long.
    split_sweeps: for so many looks in a row the alerts of one group had different roots.
    """

    routes: tuple[Route, ...] = ()
    critical: Hold = Hold(2, 0.0)
    warning: Hold = Hold(2, 120.0)
    resolve_sweeps: int = 3
    flap_turns: int = 4
    flap_seconds: float = 3_600.0
    flap_quiet_seconds: float = 900.0
    reopen_seconds: float = 1_800.0
    storm_groups: int = 5
    storm_seconds: float = 300.0
    storm_over_seconds: float = 600.0
    split_sweeps: int = 4

    def hold(self, severity: Severity) -> Hold:
        return self.critical if severity is Severity.CRITICAL else self.warning
