"""What is known of one engine: its last readings, and why the last time it was asked it did not answer. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.domain.engine import EngineReading
from bot.domain.engine_window import NO_WINDOW, EngineWindow

Said = EngineReading | str
"""What came of asking one engine: a reading, or why there is none."""

OLD_SECONDS = 90.0  # a reading that is older says nothing of now


@dataclass(frozen=True, slots=True)
class EngineTold:
    """`trouble`: why it did not answer when it was asked last; empty where it did."""

    window: EngineWindow = NO_WINDOW
    trouble: str = ""

    def fresh(self, now: datetime) -> bool:
        """Whether its newest reading tells of now."""
        last = self.window.last
        if last is None:
            return False
        return last.taken_at is None or (now - last.taken_at).total_seconds() <= OLD_SECONDS


def told_again(
    before: Mapping[str, EngineTold], said: Mapping[str, Said], there: Iterable[str]
) -> dict[str, EngineTold]:
    """All engines that are `there`, by the pod's uid, with what each said now. Those that are gone are forgotten."""
    return {uid: _one(before.get(uid), said.get(uid)) for uid in there if uid in before or uid in said}


def _one(before: EngineTold | None, said: Said | None) -> EngineTold:
    window = before.window if before is not None else NO_WINDOW
    if said is None:
        return before or EngineTold()
    if isinstance(said, str):
        return EngineTold(window, said)
    if not said.told:
        return EngineTold(window, said.trouble or "its metrics are none of an engine")
    return EngineTold(window.with_newer((said,)))
