"""What sweeps saw, turned into history, and history into words' data. Pure: every function is handed the time."""

from bot.scheduling.history.changes import applied, changes, gone
from bot.scheduling.history.estimate import Alike, Range, Unknown, estimate
from bot.scheduling.history.story import Phase, phases, story

__all__ = ["Alike", "Phase", "Range", "Unknown", "applied", "changes", "estimate", "gone", "phases", "story"]
