"""About one message a second per channel: https://docs.slack.dev/apis/web-api/rate-limits.md ."""

from __future__ import annotations

import math
from collections.abc import Callable

from bot.local.workspace.errors import WorkspaceError

SECONDS_PER_MESSAGE = 1.0


class Rates:
    def __init__(self, clock: Callable[[], float], *, enabled: bool) -> None:
        self.enabled = enabled
        self._clock = clock
        self._free_at: dict[str, float] = {}

    def count(self, channel: str) -> None:
        """Raises WorkspaceError `ratelimited` with `retry_after_seconds` when it is too soon."""
        now = self._clock()
        wait_seconds = self._free_at.get(channel, now) - now
        if self.enabled and wait_seconds > 0:
            raise WorkspaceError("ratelimited", retry_after_seconds=math.ceil(wait_seconds))
        self._free_at[channel] = now + SECONDS_PER_MESSAGE
