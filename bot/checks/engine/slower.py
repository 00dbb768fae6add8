"""Latency against the engine's own past: what it observed since it started, until a few minutes ago.

Its histograms are totals since the start, so a past of days is at hand after the first reading, and nothing is kept.
"""

from dataclasses import dataclass
from typing import Literal

from bot.checks.engine_scene import EngineScene
from bot.domain.engine import Histogram

SECONDS = 180.0
SHARE = 0.95
TIMES = 3.0


@dataclass(frozen=True, slots=True)
class Slower:
    """Of 95 of 100 observations. `observed` of them lately."""

    now_seconds: float
    past_seconds: float
    observed: int
    over_seconds: float


def slower(
    scene: EngineScene, name: Literal["ttft", "itl"], *, lately: int, before: int, floor_seconds: float
) -> Slower | None:
    """None where it is as fast as ever, fast enough, or where too little was observed to say."""
    step = scene.lately(SECONDS)
    if step is None or step.restarted:
        return None
    past: Histogram | None = getattr(step.before, name)
    recent: Histogram | None = getattr(step, name)
    if past is None or recent is None or past.count < before or recent.count < lately:
        return None
    then, now = past.quantile(SHARE), recent.quantile(SHARE)
    if then is None or now is None or now < max(floor_seconds, TIMES * then):
        return None
    return Slower(now, then, int(recent.count), step.seconds or 0.0)
