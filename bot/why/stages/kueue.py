"""Kueue: is the job still in line, and what for?

A job in a Kueue queue is suspended (or its pods are gated) until its Workload is admitted. No pod may exist yet, so the
scheduler has nothing to say. In order: is there a Workload; do its LocalQueue and ClusterQueue let anything in; does it
ask for more than the queue can ever have, or for more than is left, and who holds the rest; do admission checks agree;
and once it is admitted, does any node take its pods, since quota is a sum and a pod needs one node.

Facts: kubernetes-sigs/kueue:apis/kueue/v1beta2, pkg/scheduler, pkg/controller/core.
"""

from collections.abc import Iterator

from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.kueue_admitted import checks, unplaced_after_all
from bot.why.kueue_controller import down
from bot.why.kueue_evicted import deactivated, not_released, put_back
from bot.why.kueue_line import cluster_queue_of
from bot.why.kueue_namespace import not_taken
from bot.why.kueue_order import order
from bot.why.kueue_queues import closed, cluster_closed
from bot.why.kueue_ready import waits_for_ready
from bot.why.kueue_refused import in_its_words, others
from bot.why.kueue_unqueued import before_workload, suspended, without_workload
from bot.why.kueue_waiting import quota
from bot.why.kueue_workload import Workload, asked_queue, workload_of

GATE = "kueue.x-k8s.io/"


def judge(case: Case) -> Iterator[Finding]:
    thing = case.subject.thing
    if thing is not None and thing.kind in ("LocalQueue", "ClusterQueue"):
        yield from _queue(case)
        return
    if not _concerned(case):
        return
    workload = workload_of(case)
    if workload is not None:
        yield from _known(case, workload)
    elif case.view.knows("workloads"):
        yield from _unknown(case)
    elif asked_queue(case)[0]:
        yield Finding(
            "kueue.unread",
            "It belongs to Kueue, whose Workloads could not be read",
            Level.NOTE,
            unknown=case.not_read("workloads", "localqueues", "clusterqueues"),
        )


def _concerned(case: Case) -> bool:
    """Whether anything waits that Kueue could hold back."""
    thing = case.subject.thing
    return case.waits or suspended(case) is not None or (thing is not None and thing.kind == "Workload")


def _known(case: Case, workload: Workload) -> Iterator[Finding]:
    if workload.finished:
        return
    if not workload.active:
        yield deactivated(case, workload)
    elif (left := not_released(case, workload)) is not None:
        yield left
    elif workload.admitted:
        yield from unplaced_after_all(case, workload)
    elif workload.reserved:
        yield from checks(case, workload)
    else:
        yield from _in_line(case, workload)


def _in_line(case: Case, workload: Workload) -> Iterator[Finding]:
    shut = closed(case, workload.thing.namespace, workload.queue)
    if shut is not None:
        yield shut
        return
    if (back := put_back(case, workload)) is not None:
        yield back
        return
    yield from _why_not_yet(case, workload)
    if (root := down(case)) is not None:
        yield root


def _why_not_yet(case: Case, workload: Workload) -> Iterator[Finding]:
    queue = cluster_queue_of(case, workload)
    message = workload.fields.condition("QuotaReserved").text("message")
    plain = not_taken(case, workload.thing.namespace, queue, message) or waits_for_ready(case, workload)
    if plain is not None:
        yield plain
        return
    before = order(case, workload, queue)
    if before is None or before.level is not Level.CAUSE:
        found = [*quota(case, workload, queue), *others(case, workload, queue)]
        yield from found or [in_its_words(case, workload)]
    if before is not None:
        yield before


def _unknown(case: Case) -> Iterator[Finding]:
    """There is no Workload. Pods with Kueue's gate and nothing else wrong belong to the stage of gates."""
    found = list(before_workload(case))
    yield from found
    held = suspended(case)
    if not found and held is not None and not case.subject.pods:
        yield from without_workload(case, held)


def _queue(case: Case) -> Iterator[Finding]:
    thing = case.subject.thing
    assert thing is not None
    shut = closed(case, thing.namespace, thing.name) if thing.kind == "LocalQueue" else cluster_closed(case, thing)
    if shut is not None:
        yield shut


STAGE = Stage(
    "kueue",
    40,
    judge,
    needs=frozenset(
        {
            "pods",
            "nodes",
            "jobs",
            "workloads",
            "localqueues",
            "clusterqueues",
            "resourceflavors",
            "admissionchecks",
            "namespaces",
            "events",
        }
    ),
    docs=__doc__ or "",
)
