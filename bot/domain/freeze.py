"""A freeze: for some time nothing is changed, by decision of a person. What was changed may still be undone."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from bot.domain.intent import Intent


class Freeze(msgspec.Struct, frozen=True, kw_only=True):
    """One of them, ended or not. cluster: empty means all. by: Slack's id of who said so."""

    number: int
    cluster: str = ""
    by: str
    because: str
    since: datetime
    until: datetime
    ended_at: datetime | None = None

    def holds(self, cluster: str, now: datetime) -> bool:
        """Whether it stops changes of that cluster now."""
        return self.cluster in ("", cluster) and self.ended_at is None and self.since <= now < self.until


@dataclass(frozen=True, slots=True)
class SetFreeze(Intent):
    """Freeze the cluster until then, for that reason; `until` None ends every freeze that holds there."""

    until: datetime | None
    because: str = ""
