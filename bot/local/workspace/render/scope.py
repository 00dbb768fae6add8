"""What a renderer needs besides the block: names behind ids, the time zone, a prefix for ids in the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo


@dataclass(frozen=True, slots=True)
class Names:
    """Display names by id. `timezone` None is the machine's own, which is the reader's."""

    users: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)
    timezone: tzinfo | None = None

    def local(self, epoch_seconds: float) -> datetime:
        """Raises OverflowError, ValueError or OSError for a time that no calendar has."""
        return datetime.fromtimestamp(epoch_seconds, UTC).astimezone(self.timezone)


@dataclass(frozen=True, slots=True)
class Scope:
    """`prefix` makes ids unique in the page; `errors` are words about fields, by block id."""

    names: Names
    prefix: str = "x"
    errors: Mapping[str, str] = field(default_factory=dict)

    def id_for(self, block_id: str, action_id: str) -> str:
        return f"{self.prefix}-{block_id}-{action_id}"
