"""TaintToleration: every NoSchedule and NoExecute taint of a node must be tolerated.

Since 1.34.2 the scheduler no longer says which taint it was, so `detail` is the Taint.
"""

from bot.domain.node import Taint
from bot.domain.pod import Pod
from bot.scheduling.columns import taints
from bot.scheduling.framework import Code, Failure, Filter, PreFilterResult
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.tolerance import untolerated

REASON = "node(s) had untolerated taint(s)"

Answers = dict[tuple[Taint, ...], Failure | None]


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    """Thousands of nodes carry a handful of different sets of taints: each is judged once."""
    del pod, state
    return PreFilterResult(data={})


def taint_toleration(pod: Pod, info: NodeInfo, data: Answers, state: State) -> Failure | None:
    del state
    return _answer(pod, info.node.taints, data)


def _answer(pod: Pod, taints: tuple[Taint, ...], data: Answers) -> Failure | None:
    if not taints:
        return None
    try:
        return data[taints]
    except KeyError:
        taint = untolerated(taints, pod.spec.tolerations)
        answer = data[taints] = None if taint is None else Failure(Code.UNRESOLVABLE, (REASON,), taint)
        return answer


def column(pod: Pod, snapshot: Snapshot, data: Answers) -> list[Failure | None]:
    every = taints(snapshot)
    return every.told([_answer(pod, one, data) for one in every.values])


FILTER = Filter(
    name="TaintToleration",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    prefilter=prefilter,
    filter=taint_toleration,
    column=column,
)
