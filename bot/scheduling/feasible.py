"""On which nodes a pod fits, and nothing else: the question to ask again and again of what-if states.

No messages, no other causes, no preemption. What the view says is counted once for all states that are made from one
(`Snapshot`), so that an answer about a few nodes costs little more than those nodes.
"""

from collections.abc import Iterable, Iterator

from bot.domain.pod import Pod
from bot.scheduling.cycle import Cycle, begin
from bot.scheduling.state import State


def feasible_on(
    pod: Pod, state: State, names: Iterable[str] | None = None, at_most: int | None = None
) -> tuple[str, ...]:
    """Those of `names` (None: all nodes) on which the pod fits, in that order; names of no node are left out.

    Looks no further once it has found `at_most`. Gates and claims that are missing count as in `evaluate`, whose
    `feasible` these nodes are.
    """
    cycle = begin(pod, state)
    found: list[str] = []
    if cycle.ended is not None:
        return ()
    for name in _promising(cycle) if names is None else names:
        if at_most is not None and len(found) >= at_most:
            break
        if cycle.nodes is not None and name not in cycle.nodes:
            continue
        info = state.find(name)
        if info is not None and cycle.first(info) is None:
            found.append(name)
    return tuple(found)


def _promising(cycle: Cycle) -> Iterator[str]:
    """All nodes but those that a filter turns down which looks at all of them at once (see `Filter.column`).

    Such filters read nothing but the node itself, so that what they say holds for every node that was not changed.
    """
    state = cycle.state
    columns = [one.column(cycle.pod, state.snapshot, data) for one, data in cycle.active if one.column is not None]
    open_to_it = [all(failure is None for failure in row) for row in zip(*columns, strict=True)] if columns else None
    if open_to_it is None:
        yield from state.names
        return
    turned_down = {name for name, fits in zip(state.snapshot.infos, open_to_it, strict=True) if not fits}
    turned_down.difference_update(state.changed)
    yield from (name for name in state.names if name not in turned_down)
