"""Records of pods that failed and that nobody misses: the work was done since, or others serve in their place.

A Failed pod never runs again. What counts is whether its owner has what it wants.
"""

from datetime import datetime

from bot.domain.pod import Pod
from bot.domain.time import seconds_since
from bot.domain.view import View
from bot.sweep.owners import GIVEN_UP_SECONDS, done_since

_SERVING = {"Deployment", "StatefulSet", "ReplicaSet", "LeaderWorkerSet", "DaemonSet"}


def is_left_over(view: View, kind: str, pod: Pod, now: datetime) -> bool:
    """Only of Failed pods that are not stuck on their way out; without an owner those of more than a day ago."""
    if pod.phase != "Failed" or pod.deleted:
        return False
    if pod.owner is None:
        age = seconds_since(pod.started or pod.created, now)
        return age is not None and age > GIVEN_UP_SECONDS
    if pod.owner.kind == "Job":
        return _job_goes_on(view, pod)
    return kind in _SERVING and _replaced(view, pod)


def _job_goes_on(view: View, pod: Pod) -> bool:
    """It is complete, tries again, or a later run of its CronJob did it."""
    job = view.thing("Job", pod.namespace, pod.owner.name) if pod.owner else None
    if job is None:
        return False
    fields = job.fields
    if any(fields.condition(one).text("status") == "True" for one in ("Failed", "FailureTarget")):
        return done_since(view, job)
    if any(fields.condition(one).text("status") == "True" for one in ("Complete", "SuccessCriteriaMet")):
        return True
    return bool(fields.number("status", "active")) or any(
        not other.finished for other in view.pods_by_owner.get(pod.owner.uid if pod.owner else "", ())
    )


def _replaced(view: View, pod: Pod) -> bool:
    """Its controller has as many ready pods as it wants."""
    own = pod.owner
    thing = view.thing(own.kind, pod.namespace, own.name) if own else None
    if thing is None:
        return False
    fields = thing.fields
    wanted = fields.number("spec", "replicas") if thing.kind != "DaemonSet" else None
    if wanted is None:
        wanted = fields.number("status", "desiredNumberScheduled")
    siblings = [other for other in view.pods_by_owner.get(own.uid if own else "", ()) if not other.finished]
    ready = sum(1 for other in siblings if other.node and other.condition("Ready") is None and not other.deleted)
    return wanted is not None and ready >= wanted
