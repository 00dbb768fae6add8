"""SchedulingGates: a pod with gates never enters the queue; whoever set them takes them away."""

from bot.domain.pod import Pod
from bot.scheduling.framework import Code, Failure, Filter
from bot.scheduling.state import State


def preenqueue(pod: Pod, state: State) -> Failure | None:
    del state
    if not pod.spec.gates:
        return None
    return Failure(Code.UNRESOLVABLE, (f"waiting for scheduling gates: [{' '.join(pod.spec.gates)}]",))


FILTER = Filter(
    name="SchedulingGates",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/",
    preenqueue=preenqueue,
)
