"""What `/why` says of pods and owners that do not run: trouble, or only a wait that is as it should be."""

from collections.abc import Hashable
from datetime import datetime

from bot.checks.finding import Severity
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.time import seconds_since
from bot.domain.view import View
from bot.domain.words import count
from bot.sweep.left_over import is_left_over
from bot.sweep.suspects import Group
from bot.sweep.trouble import Trouble, Wait
from bot.why.explain import Explanation
from bot.why.finding import Finding

YOUNG_SECONDS = 60.0  # the scheduler and the kubelet have hardly looked at it
UNEXPLAINED_SECONDS = 600.0  # from when on it counts that something does not run although nothing is found
# A place in a line, with nobody at fault; who is in front and for how long is not always known.
IN_LINE = frozenset(
    """
    kueue.quota kueue.strict-order kueue.waits-for-ready gates.kueue volcano.queue-full
    volcano.overused yunikorn.queue-quota
    """.split()
)
ON_PURPOSE = frozenset({"paused.job"})
# Findings about what several owners share: those that name the same thing have one root.
_SHARED = (
    "admission.",
    "groups.",
    "kueue.",
    "image.",
    "gpu_stack.",
    "driver_upgrade.",
    "references.",
    "scheduler.",
    "karpenter.",
)
_CLUSTER_WIDE = "admission.webhook-"


def of_group(group: Group, told: Explanation, view: View, now: datetime) -> Trouble | Wait | None:
    """None where there is nothing to say: records of pods whose work was done since, pods that have only just come."""
    if all(is_left_over(view, group.kind, pod, now) for pod in group.pods):
        return None
    age = seconds_since(_since(group.first), now)
    if told.first is None:
        old = age is not None and age > UNEXPLAINED_SECONDS and not told.standing.well
        return _trouble(told, group.owner, group.pods, _since(group.first), Severity.WARNING) if old else None
    if (wait := _wait(group.owner, told)) is not None:
        return wait
    if not group.first.node and age is not None and age < YOUNG_SECONDS:
        return Wait(group.owner, "was made less than a minute ago")
    severity = Severity.CRITICAL if group.gpus or _none_ready(view, group) else Severity.WARNING
    return _trouble(told, group.owner, group.pods, _since(group.first), severity)


def of_owner(thing: Thing, told: Explanation) -> Trouble | Wait | None:
    """Of a controller without (all of) its pods; None where nothing keeps it from making them."""
    if told.first is None:
        return None
    if (wait := _wait(thing.key, told)) is not None:
        return wait
    ready = any(not pod.finished and pod.condition("Ready") is None and pod.node for pod in told.case.subject.pods)
    wide = told.id.startswith(_CLUSTER_WIDE) or not ready
    return _trouble(told, thing.key, (), "", Severity.CRITICAL if wide else Severity.WARNING)


def of_ready(pod: Pod, owner: str, told: Explanation) -> Trouble | None:
    """Of a pod that is Ready: its log says that it does not work."""
    if told.first is None or told.first.until:
        return None
    return _trouble(told, owner, (pod,), "", Severity.CRITICAL)


def _wait(who: str, told: Explanation) -> Wait | None:
    deciding = told.root or told.first
    if deciding is None:
        return None
    if deciding.until:
        return Wait(who, told.standing.words, deciding.until)
    if deciding.id in IN_LINE:
        return Wait(who, f"{told.standing.words}, in line")
    if deciding.id in ON_PURPOSE:
        return Wait(who, f"{told.standing.words}, suspended on purpose")
    return None


def _trouble(told: Explanation, owner: str, pods: tuple[Pod, ...], since: str, severity: Severity) -> Trouble:
    main = told.main
    first = (told.root or told.first) if told.first else None
    return Trouble(
        id=told.id,
        severity=severity,
        sentence=_whole(told, pods),
        since=since,
        nodes=tuple(dict.fromkeys(pod.node for pod in pods if pod.node)),
        owner=owner,
        pods=pods,
        evidence=tuple(dict.fromkeys(text for one in main for text in one.evidence)),
        remedies=tuple(dict.fromkeys(one for finding in reversed(main) for one in finding.remedies)),
        useless=tuple(dict.fromkeys(text for one in main for text in one.useless)),
        unknown=tuple(text for one in told.findings for text in one.unknown),
        same=_same(told, first),
        root=told.root.sentence if told.root else told.first.sentence if told.first else "",
        needs=_needs(told),
    )


def _whole(told: Explanation, pods: tuple[Pod, ...]) -> str:
    more = f" ({count(len(pods) - 1, 'more pod')} of it alike)" if len(pods) > 1 else ""
    return told.sentence.rstrip(".") + more


def _same(told: Explanation, first: Finding | None) -> Hashable:
    """Equal for owners that are held up by one and the same thing: a webhook, a quota, an image, a queue."""
    if first is None or not first.id.startswith(_SHARED):
        return None
    named = first.sentence.split("`")[1::2][:1]
    place = "" if first.id.startswith(_CLUSTER_WIDE) else told.case.subject.namespace
    return (first.id, place, *named) if named else (first.id, place, first.sentence)


def _needs(told: Explanation) -> frozenset[str]:
    """Pods that it cannot work without and that do not run, by key."""
    if told.root is None or told.root.id != "crash.needs-other-pod":
        return frozenset()
    text = told.root.sentence
    return frozenset(pod.key for pod in told.case.view.pods.values() if pod.key in text)


def _since(pod: Pod) -> str:
    """Since when it does not run."""
    ready = pod.condition("Ready")
    if pod.node and ready is not None and ready.since:
        return ready.since
    return pod.started or pod.created


def _none_ready(view: View, group: Group) -> bool:
    """Whether nothing of that owner serves."""
    same = (pod for pod in view.pods_by_owner.get(group.first.owner.uid if group.first.owner else "", ()))
    return not any(pod.node and not pod.finished and pod.condition("Ready") is None for pod in same)
