"""A silence: for some time, and for a reason, alerts that fit are not told. What it silences is still remembered."""

from datetime import datetime

import msgspec


class Matcher(msgspec.Struct, frozen=True):
    """One condition. field: `any`, `subject`, `cause`, `node`, `owner`, `namespace`, `team`, `incident`, `severity`.

    pattern: text in which `*` stands for anything, whatever its case.
    """

    field: str
    pattern: str

    def __str__(self) -> str:
        return self.pattern if self.field == "any" else f"{self.field}={self.pattern}"


class Silence(msgspec.Struct, frozen=True, kw_only=True):
    """Alerts that all matchers fit are not told until then. `by`: Slack's id of who said so."""

    number: int
    cluster: str
    matchers: tuple[Matcher, ...]
    because: str
    by: str
    since: datetime
    until: datetime
    ended_at: datetime | None = None

    def holds(self, now: datetime) -> bool:
        return self.ended_at is None and self.since <= now < self.until

    @property
    def what(self) -> str:
        return " ".join(map(str, self.matchers))
