"""Whether a pod that is deleted starts again by itself, somewhere else, and leaves its place to the pod that waits."""

from collections.abc import Collection

from bot.domain.pod import Pod
from bot.domain.view import View

BACKOFF_LIMIT = 6  # of a Job that says nothing else


def starts_again(pod: Pod, leaving: Collection[Pod], waits: Pod, view: View) -> bool:
    """`leaving` are all pods that would be deleted with it, `waits` is the pod that is to have the place.

    A ReplicaSet makes the new pod while the old one still ends, so that it cannot have the old place. All others make
    it after that: of two pods that then want the place the one of higher priority comes first. What other kinds of
    owners do is not known; a group of pods may begin anew as a whole.
    """
    if pod.owner is None:
        return False
    if pod.owner.kind == "ReplicaSet":
        return True
    if pod.priority > waits.priority:
        return False
    above = view.thing(pod.owner.kind, pod.namespace, pod.owner.name)
    if pod.owner.kind == "StatefulSet":
        return above is None or above.owner is None
    return pod.owner.kind == "Job" and _may_fail(pod, leaving, view)


def _may_fail(pod: Pod, leaving: Collection[Pod], view: View) -> bool:
    """To a Job a pod that was deleted has failed, and one failure too many ends the Job.

    kubernetes/kubernetes:pkg/controller/job/job_controller.go (isPodFailed).
    """
    job = view.thing("Job", pod.namespace, pod.owner.name) if pod.owner else None
    if job is None:
        return False
    spec = job.fields.at("spec")
    if spec.get("backoffLimitPerIndex") is not None or spec.get("podFailurePolicy") is not None:
        return False
    limit = spec.number("backoffLimit")
    more = sum(1 for one in leaving if one.owner == pod.owner and one.namespace == pod.namespace)
    failed = job.fields.number("status", "failed") or 0
    return failed + more <= (BACKOFF_LIMIT if limit is None else limit)
