"""The clock of a rollout: how each phase stands over all replicas, what is late, and what will not come by itself.

The slowest replica counts. What was late against its budget is asked of `/why` once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.deploying.rollout.budget import Budget
from bot.deploying.rollout.phase import ORDER, Phase, Standing, Tick, Where
from bot.domain.words import count, duration, names

NODES_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Clock:
    """`failed`: why it will not get there, empty while it may. subject: the pod that `/why` is asked about.

    ready and wanted: pods.
    """

    ticks: tuple[Tick, ...]
    ready: int
    wanted: int
    seconds: float
    budget_seconds: int
    failed: str = ""
    subject: str = ""

    @property
    def done(self) -> bool:
        return self.ready >= self.wanted

    @property
    def late(self) -> Tick | None:
        return next((one for one in self.ticks if one.standing is Standing.LATE), None)


def clock(
    places: Sequence[Where],
    wanted: int,
    budget: Budget,
    passed_seconds: float,
    *,
    namespace: str,
    downloads: bool,
    owner: str = "",
) -> Clock:
    """places: every pod of the new revision. passed_seconds: since all objects were created. owner: what makes its
    pods, to be asked about while there is none.
    """
    ready = sum(1 for one in places if one.phase is Phase.READY)
    slowest = _slowest(places, wanted)
    broken = next((one for one in places if one.failed), None)
    shown = [phase for phase in ORDER if downloads or phase is not Phase.WEIGHTS]
    ticks = tuple(_tick(phase, slowest, places, wanted, budget, passed_seconds) for phase in shown)
    late = next((one for one in ticks if one.standing is Standing.LATE), None)
    at = broken or (_longest_in(late.phase, places) if late else None)
    return Clock(
        ticks,
        ready,
        wanted,
        passed_seconds,
        budget.usual_seconds,
        failed=f"{broken.pod}: {broken.failed}" if broken is not None else "",
        subject=f"{namespace}/{at.pod}" if at is not None else owner if late is not None else "",
    )


def _longest_in(phase: Phase, places: Sequence[Where]) -> Where | None:
    return max((one for one in places if one.phase is phase), key=lambda one: one.since_seconds or 0.0, default=None)


def _slowest(places: Sequence[Where], wanted: int) -> Phase:
    """Where the last one is; pods that are not made yet are behind all."""
    if len(places) < wanted:
        return Phase.ADMITTED
    return min((one.phase for one in places), key=ORDER.index, default=Phase.ADMITTED)


def _tick(phase: Phase, slowest: Phase, places: Sequence[Where], wanted: int, budget: Budget, passed: float) -> Tick:
    here, there = ORDER.index(phase), ORDER.index(slowest)
    if here < there or (phase is slowest is Phase.READY):
        return Tick(phase, Standing.DONE, _longest(phase, places), _done(phase, places))
    if here > there:
        return Tick(phase, Standing.AHEAD)
    in_it = [one for one in places if one.phase is phase]
    since = max((one.since_seconds for one in in_it if one.since_seconds is not None), default=passed)
    if any(one.failed for one in in_it):
        return Tick(phase, Standing.FAILED, since, _going(phase, in_it, places, wanted))
    late = since > budget.late_after(phase)
    return Tick(phase, Standing.LATE if late else Standing.GOING, since, _going(phase, in_it, places, wanted))


def _longest(phase: Phase, places: Sequence[Where]) -> float | None:
    return max((seconds for one in places for done, seconds in one.took if done is phase), default=None)


def _done(phase: Phase, places: Sequence[Where]) -> str:
    if phase is Phase.IMAGE:
        return next((one.image for one in places if one.image), "")
    if phase is not Phase.SCHEDULED:
        return ""
    return names(list(dict.fromkeys(one.node for one in places if one.node)), NODES_SHOWN)


def _going(phase: Phase, in_it: Sequence[Where], places: Sequence[Where], wanted: int) -> str:
    if phase is Phase.ADMITTED and len(places) < wanted:
        return f"{len(places)} of {count(wanted, 'pod')} made"
    return "; ".join(_each(in_it))


def _each(in_it: Sequence[Where]) -> Iterator[str]:
    """What they do, and how many do the same."""
    told: dict[str, int] = {}
    for one in in_it:
        told[one.says] = told.get(one.says, 0) + 1
    for says, number in list(told.items())[:2]:
        yield f"{says} ({number} of them)" if number > 1 else says


def line(shown: Clock) -> str:
    """`✓ scheduled gpu-3 · ✓ image 2 min · ▶ loading the weights: 412 of 704, 40 s · compiling · warm · ready`."""
    return " · ".join(map(_shown, shown.ticks))


_SIGNS = {Standing.DONE: "✓ ", Standing.GOING: "▶ ", Standing.LATE: "⚠ ", Standing.FAILED: "✗ ", Standing.AHEAD: ""}


def _shown(tick: Tick) -> str:
    sign = _SIGNS[tick.standing]
    if tick.standing is Standing.AHEAD:
        return str(tick.phase)
    took = f" {duration(tick.seconds)}" if tick.seconds is not None and tick.seconds >= 1 else ""
    says = f" {tick.says}" if tick.standing is Standing.DONE and tick.says else f": {tick.says}" if tick.says else ""
    late = ", longer than it should" if tick.standing is Standing.LATE else ""
    return f"{sign}{tick.phase}{says}{',' if tick.says and took else ''}{took}{late}"
