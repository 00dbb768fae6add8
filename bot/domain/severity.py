"""How soon somebody should act: one word for checks, sweeps and alerts."""

import enum


class Severity(enum.StrEnum):
    """How soon somebody should act: now, today, or never (it is worth knowing)."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 is the worst."""
        return _RANKS[self]


_RANKS = {one: place for place, one in enumerate(Severity)}
