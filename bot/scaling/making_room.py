"""Whom the scheduler would evict for one pod after the other: each node is tried once, and again only when it changed.

The dry run of one node and the choice among nodes are those of bot.scheduling.preemption. It looks at a part of the
nodes of a large cluster, as the scheduler does.
"""

from collections.abc import Iterable, Mapping

from bot.scheduling.cycle import Cycle, Rejection
from bot.scheduling.framework import Code
from bot.scheduling.preemption import ENOUGH, Budgets, Preemption, pick, policy, victims_on


class Room:
    """Who would be evicted on which node, for pods of one template."""

    def __init__(self) -> None:
        self._found: dict[str, Preemption] | None = None
        self._changed: set[str] = set()

    def changed(self, names: Iterable[str]) -> None:
        """Pods came to these nodes or left them."""
        self._changed.update(names)

    def made(
        self, cycle: Cycle, first: Mapping[str, Rejection], failing: Mapping[str, tuple[Rejection, ...]]
    ) -> Preemption | None:
        """The eviction that the scheduler would choose now; None where none helps. Arguments as in `preempt`."""
        if policy(cycle.pod, cycle.state) == "Never":
            return None
        budgets = Budgets(cycle.state.view.poddisruptionbudgets.values())
        if self._found is None:
            self._found = {}
            self._try(cycle, first, failing, budgets, first)
        else:
            for name in self._changed:
                self._found.pop(name, None)
            self._try(cycle, first, failing, budgets, self._changed)
        self._changed.clear()
        return pick(self._found.values()) if self._found else None

    def _try(
        self,
        cycle: Cycle,
        first: Mapping[str, Rejection],
        failing: Mapping[str, tuple[Rejection, ...]],
        budgets: Budgets,
        names: Iterable[str],
    ) -> None:
        assert self._found is not None
        found = self._found
        enough = max(ENOUGH, len(cycle.state.nodes) // 10)
        for name in names:
            told = first.get(name)
            info = cycle.state.info(name)
            if told is None or told.failure.code is not Code.UNSCHEDULABLE or not info.any_below(cycle.pod.priority):
                continue
            outcome = victims_on(cycle, info, failing[name], budgets)
            if isinstance(outcome, Preemption):
                found[name] = outcome
                if len(found) >= enough and not all(one.violations for one in found.values()):
                    return
