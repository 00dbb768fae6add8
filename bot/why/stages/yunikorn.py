"""YuniKorn: does the queue or the user have quota left, and does the application start as a gang?

YuniKorn tells everything in events of the pod. A pod that waits for quota has the condition reason SchedulingSkipped,
on purpose: autoscalers then leave it alone, so no node will come for it. A gang first places placeholder pods, and
fails or goes on without a gang when those find no place in time.

Facts: apache/yunikorn-k8shim:pkg/cache/{task,application,placeholder_manager}.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.shell import kubectl, quoted

SCHEDULER = "yunikorn"
FAILED = {  # apache/yunikorn-k8shim:pkg/common/constants/constants.go
    "ApplicationRejected": "it names no queue that takes it",
    "ResourceReservationTimeout": "its gang got no places in time, and its style is Hard",
    "ApplicationFailed": "the application has failed",
    "TaskFailed": "the pod could not be made part of it",
}
QUEUE_KEYS = ("queue", "yunikorn.apache.org/queue")
APPLICATION_KEYS = ("applicationId", "yunikorn.apache.org/app-id")
_QUOTA = (
    ("Not enough user quota", "yunikorn.user-quota", "the quota of its user is used up"),
    ("Not enough queue quota", "yunikorn.queue-quota", "the quota of its queue is used up"),
    ("queue quota has been exceed", "yunikorn.queue-quota", "the quota of its queue is used up"),
)


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or pod.scheduler != SCHEDULER:
        return
    if pod.phase == "Failed" and pod.reason in FAILED and not pod.node:
        yield _failed(case, pod)
    if not case.waits:
        return
    found = [*_rejected(case), *_quota(case)]
    yield from found
    yield from _gang(case)
    if not found:
        yield from _others(case)


def _failed(case: Case, pod: Pod) -> Finding:
    """YuniKorn fails the pods of an application that it does not take: they never had a node."""
    message = case.detail.text("status", "message")
    return Finding(
        "yunikorn.refused",
        f"YuniKorn refused its application and failed the pod before it had a node: {FAILED[pod.reason]}{_queue(case)}",
        evidence=(f"YuniKorn says {quoted(message, 300)}",) if message else (),
        remedies=(
            Remedy(
                "Compare the queue that it names with the queues and placement rules of YuniKorn",
                kubectl("get", "configmap", "-A", "--field-selector", "metadata.name=yunikorn-configs", "-o", "yaml"),
            ),
            Remedy("Put that right, then make the pod anew: this one is over", verified=False),
        ),
        useless=("Waiting does not help, nor do more nodes.",),
        weight=4,
    )


def _queue(case: Case) -> str:
    labels = case.pod.labels if case.pod else {}
    annotations = case.detail.map("metadata", "annotations")
    name = next((one for key in QUEUE_KEYS if (one := labels.get(key) or annotations.get(key))), "")
    return f" (`{name}`)" if name else ""


def _event(case: Case, *words: str) -> Event | None:
    return next((one for one in case.events if any(word in one.message for word in words)), None)


def _quota(case: Case) -> Iterator[Finding]:
    condition = case.pod.condition("PodScheduled") if case.pod else None
    skipped = condition is not None and condition.reason == "SchedulingSkipped"
    told = f"{condition.message if condition else ''}"
    for words, identity, sentence in _QUOTA:
        event = _event(case, words)
        if event is None and not (skipped and words in told):
            continue
        yield Finding(
            identity,
            f"YuniKorn holds it back: {sentence}{_queue(case)}",
            evidence=(f"YuniKorn says {quoted(event.message if event else told)}",),
            remedies=(
                Remedy(
                    "See quota and use of the queue in YuniKorn's own pages, or its configuration",
                    kubectl(
                        "get", "configmap", "-A", "--field-selector", "metadata.name=yunikorn-configs", "-o", "yaml"
                    ),
                ),
            ),
            useless=("More nodes do not help, and no autoscaler will add one: the pod is marked SchedulingSkipped.",),
            until="pods of the same queue or user end",
            weight=2,
        )
        return
    if skipped:
        yield Finding(
            "yunikorn.skipped",
            f"YuniKorn skips it for now{_queue(case)}: {quoted(told)}",
            useless=("No autoscaler will add a node for a pod that is marked SchedulingSkipped.",),
        )


def _rejected(case: Case) -> Iterator[Finding]:
    event = next(
        (one for one in case.events if one.reason in ("TaskRejected", "ApplicationRejected", "ApplicationFailed")), None
    )
    if event is not None:
        yield Finding(
            "yunikorn.rejected",
            f"YuniKorn has refused it ({event.reason}) and will not try again: {quoted(event.message)}",
            remedies=(Remedy("Put right what it names, then make the pod anew", verified=False),),
            useless=("Waiting does not help.",),
            weight=3,
        )


def _gang(case: Case) -> Iterator[Finding]:
    event = next((one for one in case.events if one.reason == "GangScheduling"), None)
    if event is None:
        return
    if "timeout" in event.message:
        yield Finding(
            "yunikorn.gang-timeout",
            "Its application did not get places for all its placeholder pods in time, so it does not start as a gang",
            Level.ROOT,
            evidence=(f"YuniKorn says {quoted(event.message)}",),
            remedies=(Remedy("Ask for a smaller gang, or for a longer placeholderTimeoutInSeconds", verified=False),),
        )
    elif "creating placeholders" in event.message:
        yield Finding(
            "yunikorn.gang",
            "It waits until placeholder pods of its application have all found a place",
            Level.NOTE,
            evidence=(f"YuniKorn says {quoted(event.message)}",),
        )


def _others(case: Case) -> Iterator[Finding]:
    """Words of YuniKorn's core that are known to matter, as they are."""
    event = _event(
        case, "Preemption does not help", "is queued and waiting for allocation", "is pending for the requested"
    )
    if event is not None:
        yield Finding("yunikorn.waits", f"YuniKorn says {quoted(event.message)}", Level.NOTE)


STAGE = Stage("yunikorn", 46, judge, needs=frozenset({"pods", "events"}), docs=__doc__ or "")
