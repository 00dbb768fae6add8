"""It is being deleted and still there: who still has to let go of it.

A pod goes when its kubelet says that all containers ended (after the grace period at the latest they are killed) and
when the last finalizer is gone. `deletionTimestamp` is when the grace period ends. Until then its GPUs count as used.
A kubelet that does not answer can confirm nothing, so the pod stays as long as its node does. In a namespace that is
being deleted no pod can be made, and controllers write no event about that.
kubernetes/kubernetes:pkg/kubelet/kubelet_pods.go, pkg/controller/podgc, pkg/controller/controller_utils.go.
"""

from collections.abc import Iterator
from dataclasses import replace

from bot.domain.evidence import NodeRef, ObjectRef, Ref, Wanted
from bot.domain.pod import Pod
from bot.domain.time import seconds_since
from bot.why.case import Case
from bot.why.ending import finalizers, in_grace, not_ended, silent_node
from bot.why.finding import Finding, Level, Stage
from bot.why.leaving_namespace import being_deleted, leaving
from bot.why.makers import makers


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is not None and pod.deleted:
        found = _pod(case, pod)
        if case.subject.pod is not None:
            yield found
        elif found.id != "terminating.grace":
            yield _of_owner(case, pod, found)
    yield from leaving(case)


def wants(case: Case) -> Wanted:
    refs: list[Ref] = []
    if case.subject.namespace and (being_deleted(case) or any(one.missing for one in makers(case))):
        refs.append(ObjectRef("Namespace", "", case.subject.namespace))
    if case.pod is not None and case.pod.deleted and case.pod.node:
        refs.append(NodeRef("kernel", case.pod.node))
    return Wanted(tuple(refs))


def _of_owner(case: Case, pod: Pod, found: Finding) -> Finding:
    """A StatefulSet makes no pod of that name before this one is gone; other controllers have made another already."""
    waits = any(one.kind == "StatefulSet" for one in case.owners)
    level = Level.CAUSE if waits else Level.ALSO
    sentence = f"its pod `{pod.name}` is being deleted, but {found.sentence}"
    return replace(found, sentence=sentence if waits else f"{sentence[0].upper()}{sentence[1:]}", level=level)


# ---- a pod -----------------------------------------------------------------------------------------------------------


def _pod(case: Case, pod: Pod) -> Finding:
    """The first that holds: time left, a node that is gone or silent, a finalizer, a kubelet that cannot end it."""
    over = _seconds_over(case, pod)
    if over is not None and over < 0:
        return in_grace(case, pod, -over)
    node = case.view.nodes.get(pod.node)
    if pod.node and case.view.knows("nodes") and (node is None or node.ready is not True):
        return silent_node(case, pod, node)
    left = case.detail.texts("metadata", "finalizers")
    if left:
        return finalizers(pod, left)
    return not_ended(case, pod, over)


def _seconds_over(case: Case, pod: Pod) -> float | None:
    """How long its grace period is over; below zero while it lasts."""
    grace = case.detail.number("metadata", "deletionGracePeriodSeconds")
    seconds = seconds_since(pod.deleted, case.now)
    if seconds is None or (grace == 0 and seconds < 0):
        return None
    return seconds


STAGE = Stage(
    "terminating",
    10,
    judge,
    wants=wants,
    needs=frozenset({"pods", "nodes", "events", "namespaces", "replicasets", "statefulsets", "jobs", "daemonsets"}),
    docs=__doc__ or "",
)
