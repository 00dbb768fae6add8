"""What kube-scheduler would say of a pending pod, and what it leaves out: every filter on every node.

The scheduler stops at the first filter that turns a node down and tells only counts. Here each filter is asked by
itself on each node, so that the second and third cause show too; the message is what the scheduler (release 1.36) would
write, so that both can be held against each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain.pod import Pod
from bot.scheduling.cycle import Cycle, Rejection, begin, kept_out
from bot.scheduling.framework import Code, Failure
from bot.scheduling.message import GATED, NO_NODES, available, ended_early, with_tail
from bot.scheduling.preemption import Preemption, preempt
from bot.scheduling.state import State

UNSCHEDULABLE, ERROR, SCHEDULING_GATED = "Unschedulable", "SchedulerError", "SchedulingGated"
Failing = Mapping[str, tuple[Rejection, ...]]  # node → every filter that fails there
NO_STATE = "not found"  # what DynamicResources says at the end of a cycle that never reached it


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything about one pod.

    reason, message: of its PodScheduled condition; both empty where it can be placed or never enters the queue.
    preenqueue: what keeps it out of the queue. prefilter: what ended the cycle before any node was filtered;
    prefilter_all: all plugins that reject it then. prefilter_nodes: the only nodes that were left; None for all.
    nodes: per node every filter that fails there; first: the one that the scheduler reports. feasible: nodes that pass.
    """

    pod: Pod
    gated: bool
    reason: str = ""
    message: str = ""
    preenqueue: Rejection | None = None
    prefilter: Rejection | None = None
    prefilter_all: tuple[Rejection, ...] = ()
    prefilter_nodes: frozenset[str] | None = None
    nodes: Failing = field(default_factory=dict)
    first: Mapping[str, Rejection] = field(default_factory=dict)
    feasible: tuple[str, ...] = ()
    preemption: Preemption | None = None


def evaluate(pod: Pod, state: State) -> Verdict:
    """The pod against the cluster as it stands, alone."""
    cycle = begin(pod, state)
    preenqueue = kept_out(pod, state)
    nodes, first = cycle.everywhere()
    if cycle.ended is None:
        first = _narrowed(cycle, first)
    feasible = () if cycle.ended else tuple(sorted(nodes.keys() - first.keys()))
    told = _told(cycle, nodes, first, feasible, preenqueue)
    return Verdict(
        pod=pod,
        gated=pod.gated,
        reason=told.reason,
        message=told.message,
        preenqueue=preenqueue,
        prefilter=cycle.ended,
        prefilter_all=cycle.rejections,
        prefilter_nodes=cycle.nodes,
        nodes=nodes,
        first={} if cycle.ended else first,
        feasible=feasible,
        preemption=told.preemption,
    )


@dataclass(frozen=True, slots=True)
class _Told:
    reason: str = ""
    message: str = ""
    preemption: Preemption | None = None


def _narrowed(cycle: Cycle, first: Mapping[str, Rejection]) -> dict[str, Rejection]:
    """Nodes that PreFilter left out are not filtered: the plugins that left them out are named.

    The pod's own nominated node is tried before all others, whatever PreFilter says: it keeps its own reasons, and the
    plugin that turned it down is named along with the others (evaluateNominatedNode in schedule_one.go).
    """
    if cycle.nodes is None:
        return dict(first)
    tried = first.get(cycle.pod.nominated)
    own = {tried.plugin} if tried is not None and tried.failure.code is not Code.ERROR else set()
    names = " ".join(sorted({*cycle.narrowers, *own}))
    left_out = Rejection(
        ",".join(cycle.narrowers),
        Failure(Code.UNRESOLVABLE, (f"node(s) didn't satisfy plugin(s) [{names}]",)),
    )
    result = {name: one for name, one in first.items() if name in cycle.nodes or (name == cycle.pod.nominated and own)}
    for name in cycle.state.names:
        if name not in cycle.nodes and name not in result:
            result[name] = left_out
    return result


def _told(
    cycle: Cycle,
    failing: Failing,
    first: Mapping[str, Rejection],
    feasible: tuple[str, ...],
    preenqueue: Rejection | None,
) -> _Told:
    if cycle.pod.gated:
        return _Told(SCHEDULING_GATED, GATED)
    if preenqueue is not None:
        return _Told()
    if not cycle.state.nodes:
        return _Told(UNSCHEDULABLE, NO_NODES)
    if broken := _broken(cycle, first, feasible):
        return _Told(ERROR, broken)
    return _Told() if feasible else _unschedulable(cycle, failing, first)


def _broken(cycle: Cycle, first: Mapping[str, Rejection], feasible: tuple[str, ...]) -> str:
    """One plugin that breaks on one node fails the whole cycle, however many nodes would do."""
    ended = cycle.ended
    if ended is not None:
        if ended.failure.code is not Code.ERROR:
            return ""
        return f'running PreFilter plugin "{ended.plugin}": {", ".join(ended.failure.reasons)}'
    if cycle.pod.nominated in feasible:
        return ""
    errors = {name: one for name, one in first.items() if one.failure.code is Code.ERROR}
    return ", ".join(errors[min(errors)].failure.reasons) if errors else ""


def _unschedulable(cycle: Cycle, failing: Failing, first: Mapping[str, Rejection]) -> _Told:
    count = len(cycle.state.nodes)
    if cycle.ended is not None:
        text, first = ended_early(count, cycle.ended.failure.reasons), {}
        if not cycle.postfilters:
            return _Told(UNSCHEDULABLE, with_tail(text, (NO_STATE,)))
    else:
        text = available(count, (one.failure.reasons for one in first.values()))
    outcome = preempt(cycle, first, failing)
    if outcome.preemption is not None:
        return _Told(UNSCHEDULABLE, text, outcome.preemption)
    before = () if outcome.error else _last_words(cycle, first)
    return _Told(UNSCHEDULABLE, with_tail(text, (*before, outcome.text)))


def _last_words(cycle: Cycle, first: Mapping[str, Rejection]) -> tuple[str, ...]:
    """PostFilter plugins before preemption."""
    told = []
    for one, data in cycle.postfilters:
        failures = [rejection.failure for rejection in first.values() if rejection.plugin == one.name]
        told.append(one.postfilter(cycle.pod, cycle.state, data, failures))  # type: ignore[misc]  # only those with one
    return tuple(told)
