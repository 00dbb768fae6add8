"""The settings `alerts`: what is told, where, and when (config/gpubot.yaml says what each key means)."""

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bot.access import windows
from bot.access.windows import Window
from bot.domain.alert_rules import AlertRules, Hold, Route

Seconds = Annotated[float, Field(ge=0, le=86_400)]
Looks = Annotated[int, Field(ge=1, le=100)]
Pattern = Annotated[str, Field(min_length=1, max_length=253)]
_AT = re.compile(r"(\S+) (\d\d):(\d\d) (\S+)")
_DUE_MINUTES = 10  # for so long a digest is still worth sending after its time


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HoldSettings(_Part):
    """An alert counts when it was seen in so many looks in a row, and for so long."""

    looks: Looks = 2
    seconds: Seconds = 0

    def hold(self) -> Hold:
        return Hold(self.looks, self.seconds)


class RouteSettings(_Part):
    """Where alerts go that fit. What is no id is told by `gpubot doctor` and `/gpu alerts`, and stops no start."""

    channel: Annotated[str, Field(min_length=1, max_length=64)]
    name: Annotated[str, Field(max_length=40)] = ""
    teams: tuple[Pattern, ...] = ()
    namespaces: tuple[Pattern, ...] = ()
    severities: tuple[Pattern, ...] = ()
    causes: tuple[Pattern, ...] = ()
    clusters: tuple[Pattern, ...] = ()
    mention: Annotated[str, Field(max_length=64)] = ""
    quiet_hours: tuple[str, ...] = ()

    @field_validator("quiet_hours")
    @classmethod
    def _are_windows(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            windows.parse(text)
        return texts

    def route(self) -> Route:
        return Route(
            channel=self.channel,
            name=self.name,
            teams=self.teams,
            namespaces=self.namespaces,
            severities=self.severities,
            causes=self.causes,
            clusters=self.clusters,
            mention=self.mention,
            quiet=self.quiet_hours,
        )


class DigestSettings(_Part):
    """When the day and the week are summed up, and in which channel; without a channel there are none."""

    channel: Annotated[str, Field(max_length=64)] | None = None
    daily: tuple[str, ...] = ("Mon-Fri 08:00 UTC",)
    weekly: tuple[str, ...] = ("Mon 08:05 UTC",)

    @field_validator("daily", "weekly")
    @classmethod
    def _are_times(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            due(text)
        return texts


class AlertSettings(_Part):
    """All of it."""

    sweep_seconds: Annotated[float, Field(ge=10, le=3_600)] = 30
    routes: tuple[RouteSettings, ...] = ()
    critical: HoldSettings = HoldSettings()
    warning: HoldSettings = HoldSettings(looks=2, seconds=120)
    resolve_looks: Looks = 3
    flap_times: Annotated[int, Field(ge=2, le=12)] = 4
    flap_quiet_seconds: Seconds = 900
    reopen_seconds: Seconds = 1_800
    storm_incidents: Annotated[int, Field(ge=1, le=100)] = 5
    storm_seconds: Seconds = 300
    digests: DigestSettings = DigestSettings()

    def rules(self) -> AlertRules:
        """The same as plain data, which is what the core reads."""
        return AlertRules(
            routes=tuple(one.route() for one in self.routes),
            critical=self.critical.hold(),
            warning=self.warning.hold(),
            resolve_sweeps=self.resolve_looks,
            flap_turns=self.flap_times,
            flap_quiet_seconds=self.flap_quiet_seconds,
            reopen_seconds=self.reopen_seconds,
            storm_groups=self.storm_incidents,
            storm_seconds=self.storm_seconds,
        )


def due(text: str) -> Window:
    """The minutes after a time such as `Mon-Fri 08:00 Europe/Berlin`. Raises ValueError."""
    match = _AT.fullmatch(" ".join(text.split()))
    if match is None:
        raise ValueError(f"{text!r} is no time: write it as Mon-Fri 08:00 Europe/Berlin")
    days, hour, minute, zone = match.groups()
    later = int(hour) * 60 + int(minute) + _DUE_MINUTES
    return windows.parse(f"{days} {hour}:{minute}-{later // 60 % 24:02d}:{later % 60:02d} {zone}")
