"""What a stage is, and what it works on: the state as it was, changed step by step, and what was decided with why."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from bot.domain.alert import Look
from bot.domain.alert_rules import AlertRules
from bot.domain.alert_state import AlertState, Decision, Group, Kind, Phase, Standing, Storm
from bot.domain.silence import Silence


@dataclass(slots=True)
class Round:
    """One evaluation. before: groups as they were. fresh: groups that were opened or reopened in it.
    bundles_of: where in the look the bundles of each group stand.
    """

    cluster: str
    now: datetime
    rules: AlertRules
    silences: tuple[Silence, ...]
    look: Look
    alerts: dict[str, Standing]
    groups: dict[int, Group]
    opened: tuple[datetime, ...]
    storm: Storm | None
    next_number: int
    before: Mapping[int, Group] = field(default_factory=dict)
    fresh: list[int] = field(default_factory=list)
    bundles_of: dict[int, list[int]] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)

    def say(
        self, kind: Kind, reason: str, *, number: int = 0, standing: Standing | None = None, other: int = 0
    ) -> None:
        """Record a decision."""
        print_of, subject = (standing.alert.fingerprint, standing.alert.subject) if standing else ("", "")
        self.decisions.append(
            Decision(kind=kind, reason=reason, number=number, fingerprint=print_of, subject=subject, other=other)
        )

    def set(self, fingerprint: str, **changed: Any) -> Standing:
        """Change what is remembered of an alert."""
        after = msgspec.structs.replace(self.alerts[fingerprint], **changed)
        self.alerts[fingerprint] = after
        return after

    def set_group(self, number: int, **changed: Any) -> Group:
        after = msgspec.structs.replace(self.groups[number], **changed)
        self.groups[number] = after
        return after

    def of_group(self, number: int) -> Iterator[Standing]:
        """Its alerts, those that are over included."""
        return (one for one in self.alerts.values() if one.incident == number)

    def firing(self, number: int) -> list[Standing]:
        return [one for one in self.of_group(number) if one.phase is Phase.FIRING]

    @property
    def state(self) -> AlertState:
        return AlertState(alerts=self.alerts, groups=self.groups, opened=self.opened, storm=self.storm)


@dataclass(frozen=True, slots=True)
class Stage:
    """`run` changes the round, and says what it decided."""

    name: str
    run: Callable[[Round], None]
    page: str = ""
