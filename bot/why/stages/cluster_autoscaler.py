"""Cluster Autoscaler: is a node on its way, and if not, why not?

Its events stand at the pod: TriggeredScaleUp, or NotTriggerScaleUp with counts of node groups (not nodes). A group
without nodes is judged by an imagined node, which lacks GPUs where the group's tags do not state them: then no node
ever comes although the group may grow. No event at all means that the autoscaler ignores the pod or does not run.

Facts: kubernetes/autoscaler:cluster-autoscaler/processors/status, core/scaleup/orchestrator,
clusterstate/utils/status.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.evidence import Wanted
from bot.domain.pod import Pod
from bot.why.autoscaler_findings import refused
from bot.why.autoscaler_growing import growing
from bot.why.autoscaler_status import STATUS, autoscalers, log_of
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.shell import kubectl, quoted

EXPENDABLE = -10  # --expendable-pods-priority-cutoff
QUIET_SECONDS = 5 * 60


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or not case.waits or pod.gated:
        return
    event = _newest(case)
    if event is None:
        yield from _silent(case, pod)
    elif event.reason == "TriggeredScaleUp":
        yield from growing(case, event)
    elif "ProvisioningRequest" in event.message:
        yield Finding(
            "cluster-autoscaler.provisioning",
            f"Cluster Autoscaler leaves the pod alone: {quoted(event.message)}",
            Level.NOTE,
        )
    else:
        yield from refused(case, event)


def _newest(case: Case) -> Event | None:
    reasons = ("TriggeredScaleUp", "NotTriggerScaleUp")
    return next((one for one in case.events if one.reason in reasons and one.source != "karpenter"), None)


def _silent(case: Case, pod: Pod) -> Iterator[Finding]:
    """No word of it about a pod that has waited long enough to get one."""
    mine = autoscalers(case.view)
    age = case.age_seconds(pod.created)
    unplaced = pod.condition("PodScheduled")
    if not mine or age is None or age < QUIET_SECONDS or unplaced is None or unplaced.reason != "Unschedulable":
        return
    if all(one.phase != "Running" or one.condition("Ready") is not None for one in mine):
        yield _down(mine[0])
    elif pod.priority < EXPENDABLE:
        yield Finding(
            "cluster-autoscaler.expendable",
            f"Cluster Autoscaler adds no node for it, because its priority {pod.priority} is below {EXPENDABLE}: such "
            "pods only use what is free",
            Level.ROOT,
            remedies=(
                Remedy(f"Give it a priority class of {EXPENDABLE} or more, if it is worth a node", verified=False),
            ),
        )
    elif pod.nominated:
        yield Finding(
            "cluster-autoscaler.nominated",
            f"Cluster Autoscaler adds no node for it, because the scheduler makes room for it on `{pod.nominated}`",
            Level.NOTE,
        )


def _down(pod: Pod) -> Finding:
    return Finding(
        "cluster-autoscaler.down",
        f"No node will be added, because Cluster Autoscaler itself does not run (`{pod.key}` is not ready)",
        Level.ROOT,
        remedies=(Remedy("See why", kubectl("describe", "pod", pod.name, namespace=pod.namespace)),),
    )


def wants(case: Case) -> Wanted:
    """Sizes of node groups, where it has said anything about the pod."""
    if not case.waits or _newest(case) is None:
        return Wanted()
    return Wanted((STATUS, *(log_of(pod) for pod in autoscalers(case.view)[:1])))


STAGE = Stage("cluster-autoscaler", 80, judge, wants, needs=frozenset({"pods", "nodes", "events"}), docs=__doc__ or "")
