"""What each phase may take: by the size of the weights and what others measured, or by what it took here before."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.deploying import budgets
from bot.deploying.budgets import Span
from bot.deploying.rollout.phase import Phase

PAST_TIMES = 2.0  # so many times longer than here before is late


@dataclass(frozen=True, slots=True)
class Budget:
    """Spans by phase."""

    spans: Mapping[Phase, Span]

    def late_after(self, phase: Phase) -> int:
        return self.spans[phase].late if phase in self.spans else budgets.MINUTE

    @property
    def usual_seconds(self) -> int:
        """All of it, at best."""
        return sum(one.usual for one in self.spans.values())


def budget(weights_bytes: int, *, downloads: bool, past_ready_seconds: float | None = None) -> Budget:
    """past_ready_seconds: what replicas of it took here from their start to being ready; the facts where None."""
    spans = {
        Phase.ADMITTED: budgets.ADMITTED,
        Phase.SCHEDULED: budgets.SCHEDULED,
        Phase.IMAGE: budgets.IMAGE,
        Phase.LOADING: budgets.reading(weights_bytes),
        Phase.COMPILING: budgets.COMPILED,
        Phase.WARM: budgets.CAPTURED,
    }
    if downloads:
        spans[Phase.WEIGHTS] = budgets.downloading(weights_bytes)
    if past_ready_seconds is not None:
        late = round(max(budgets.MINUTE, PAST_TIMES * past_ready_seconds))
        loading = spans[Phase.LOADING]
        spans[Phase.LOADING] = Span(min(loading.usual, round(past_ready_seconds)), min(loading.late, late))
    return Budget(spans)
