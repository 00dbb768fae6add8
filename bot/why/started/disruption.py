"""Pods that were ended from outside: a shutdown, a pod with a higher priority, a drain, a lost node.

status.reason of kubelets (kubernetes/kubernetes:pkg/kubelet) and the DisruptionTarget condition of controllers
(kubernetes/api:core/v1/types.go).
"""

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.started.kubelet_words import message
from bot.why.started.owned import counted, replaced
from bot.why.started.say import clock, delete_pod, quote

_REASONS = {
    "NodeShutdown": ("shutdown", "{node} was shutting down when it arrived, so the kubelet turned it away"),
    "Terminated": ("shutdown", "the kubelet ended it because {node} was shut down"),
    "Shutdown": ("shutdown", "the kubelet ended it because {node} was shut down"),
    "Preempting": ("preempted", "the kubelet on {node} ended it to make room for a system-critical pod"),
    "Preempted": ("preempted", "it was ended to make room for a pod with a higher priority"),
    "NodeLost": ("node-lost", "{node} stopped answering while it ran there"),
    "DeadlineExceeded": ("deadline", "it ran longer than its activeDeadlineSeconds allows, so it was ended"),
    "PreemptionByScheduler": ("preempted", "the scheduler ended it for a pod with a higher priority"),
    "DeletionByTaintManager": ("taint", "it was ended because {node} got a NoExecute taint that it does not tolerate"),
    "EvictionByEvictionAPI": ("drained", "it was evicted through the API, as a drain of {node} does"),
    "DeletionByPodGC": ("node-lost", "its node {node} no longer exists"),
    "TerminationByKubelet": ("kubelet-ended", "the kubelet on {node} ended it"),
}


def disrupted(case: Case, pod: Pod) -> Finding | None:
    """None where nobody outside ended it."""
    target = case.detail.condition("DisruptionTarget")
    cause = target.text("reason") if target.text("status") == "True" else ""
    found = _REASONS.get(pod.reason) or _REASONS.get(cause)
    if found is None:
        return None
    what, words = found
    said = message(case) or target.text("message")
    at = clock(case, target.text("lastTransitionTime"))
    return Finding(
        f"kubelet.{what}",
        words.format(node=pod.node or "the node") + (f" {at}" if at else ""),
        evidence=(
            *([quote(said)] if said else []),
            *counted(case, pod, "ended"),
            f"a Failed pod does not run again: {replaced(pod)}",
        ),
        remedies=(Remedy("Delete the record when it is no longer needed", delete_pod(pod), False),),
    )
