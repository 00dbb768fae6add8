"""The kubelet turned the pod away, or ended it.

A pod that was bound and then rejected by its node's kubelet, evicted, cut off by a shutdown or preempted has phase
Failed and never runs again; its owner makes a new one. Rejected are pods for which the node has no devices left, no
NUMA node with enough of them, or no room; finished pods too, by kubelets that admit them again after a restart. And a
pod waits where its node's kubelet is silent.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.evidence import NodeRef, Wanted
from bot.why.case import Case
from bot.why.containers import main
from bot.why.finding import NOTHING_WANTED, Finding, Stage
from bot.why.started.admission import rejected
from bot.why.started.disruption import disrupted
from bot.why.started.evicted import evicted
from bot.why.started.finished_work import done_anyway
from bot.why.started.kubelet_words import message
from bot.why.started.logs import refs
from bot.why.started.numa import KUBELET_CONFIG
from bot.why.started.owned import replaced
from bot.why.started.plain import plain
from bot.why.started.say import delete_pod, quote
from bot.why.started.silent_node import silent_node
from bot.why.started.topology import not_aligned


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None:
        return
    if pod.phase != "Failed":
        if pod.node and not pod.finished and not pod.deleted:
            yield from silent_node(case, pod)
        return
    if pod.reason == "Evicted":
        yield evicted(case, pod)
    elif (finding := done_anyway(case, pod)) is not None:
        yield finding
    elif pod.reason == "TopologyAffinityError":
        yield not_aligned(case, pod)
    elif (finding := rejected(case, pod) or disrupted(case, pod)) is not None:
        yield finding
    elif pod.reason:
        said = quote(message(case)) if message(case) else "without a message"
        who = f"the kubelet on {pod.node}" if pod.node else "its scheduler or controller"
        before = "" if pod.node else " before it had a node"
        yield Finding(
            "kubelet.failed",
            f"{who} ended it for good{before}, reason `{plain(pod.reason)}`: {said}",
            evidence=(f"a Failed pod does not run again: {replaced(pod)}",),
            remedies=(Remedy("Delete the record when it is no longer needed", delete_pod(pod), False),),
        )


def wants(case: Case) -> Wanted:
    pod = case.pod
    if pod is None or pod.phase != "Failed" or not pod.node:
        return NOTHING_WANTED
    if pod.reason == "TopologyAffinityError":
        return Wanted((NodeRef("agent", pod.node), KUBELET_CONFIG))
    container = main(case)
    return Wanted(refs(case, container)) if pod.reason == "Evicted" and container else NOTHING_WANTED


STAGE = Stage("kubelet", 90, judge, wants, frozenset({"pods", "nodes", "events", "jobs"}), docs=__doc__ or "")
