"""What a pod that is being deleted still waits for: time, its node, a finalizer, or a process that does not end."""

from bot.domain.answer import Remedy
from bot.domain.node import Node
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.words import duration, names
from bot.why.amounts import said, scarcest_first
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.shell import kubectl, quoted

SOON_SECONDS = 60.0
OUT_OF_SERVICE = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"
FINALIZERS = (  # prefix → who takes it away
    ("batch.kubernetes.io/job-tracking", "the Job controller (kube-controller-manager), once it has counted the pod"),
    ("kueue.x-k8s.io/", "Kueue's controller"),
    ("foregroundDeletion", "the garbage collector, once everything that belongs to it is gone"),
    ("elasticquota.", "the quota's controller"),
    ("service.kubernetes.io/", "the cloud's load balancer controller"),
)
_BLOCKED = Pattern(r"task (\S+?):\d+ blocked for more than \d+ seconds")


def in_grace(case: Case, pod: Pod, left: float) -> Finding:
    grace = case.detail.number("metadata", "deletionGracePeriodSeconds")
    period = f"its grace period of {duration(grace)}" if grace else "its grace period"
    hook = any(one.get("lifecycle", "preStop") for one in case.detail.each("spec", "containers"))
    stop = ", a preStop hook may use the time" if hook else ""
    level = Level.NOTE if left <= SOON_SECONDS else Level.CAUSE
    sentence = f"it was deleted and {period} ends in {duration(left)}{stop}{_holds(pod)}"
    command = kubectl("delete", "pod", pod.name, "--grace-period=1", namespace=pod.namespace)
    return Finding(
        "terminating.grace",
        sentence if level is Level.CAUSE else f"{sentence[0].upper()}{sentence[1:]}",
        level,
        remedies=()
        if level is Level.NOTE
        else (
            Remedy(
                "End it sooner", command, cost="what it still does is cut off, such as open requests or a checkpoint"
            ),
        ),
        until=f"its grace period is over, in {duration(left)} at the latest",
    )


def _holds(pod: Pod) -> str:
    device = next((one for one in scarcest_first(pod.requests) if "/" in one), "")
    return f"; until it is gone it holds {said(device, pod.requests[device])}" if device and pod.occupies else ""


def silent_node(case: Case, pod: Pod, node: Node | None) -> Finding:
    """Only the kubelet can say that the containers have ended."""
    if node is None:
        state = f"its node {pod.node} does not exist any more"
    else:
        ready = node.condition("Ready")
        when = case.age_seconds(ready.since) if ready else None
        said_so = "is not Ready" if node.ready is False else "does not report"
        state = f"its node {pod.node} {said_so}{f' for {duration(when)}' if when is not None else ''}"
    force = kubectl("delete", "pod", pod.name, "--force", "--grace-period=0", namespace=pod.namespace)
    out = kubectl("taint", "nodes", pod.node, OUT_OF_SERVICE)
    remedies = [
        Remedy(
            f"Bring {pod.node} or its kubelet back: then the pod ends by itself", kubectl("describe", "node", pod.node)
        ),
        Remedy(
            "If the machine is off for good, say so: its pods and volumes are let go",
            out,
            cost="only when it is really off",
        ),
        Remedy(
            "Or take the pod's record away",
            force,
            cost="its processes may still run there: two copies of a StatefulSet's pod can write to one volume",
        ),
    ]
    return Finding(
        "terminating.node-lost",
        f"{state}, and only its kubelet can confirm that the containers have ended: it stays until the node comes "
        f"back{_holds(pod)}",
        remedies=tuple(remedies if node is not None else remedies[2:]),
        useless=("Deleting the pod again does not help: it is deleted already, the confirmation is missing",),
    )


def finalizers(pod: Pod, left: tuple[str, ...]) -> Finding:
    whose = [_whose(one) for one in left]
    look = kubectl("get", "pod", pod.name, "-o", "yaml", namespace=pod.namespace)
    return Finding(
        "terminating.finalizer",
        f"its containers may be gone, but {'finalizers hold' if len(left) > 1 else 'a finalizer holds'} it: "
        f"{names(whose, 3)}{_holds(pod)}",
        remedies=(
            Remedy("See that the controller that set it runs, and what it says of this pod", look),
            Remedy(
                "Only if that controller is gone for good: take the finalizer away",
                kubectl(
                    "patch",
                    "pod",
                    pod.name,
                    "--type",
                    "merge",
                    "-p",
                    '{"metadata":{"finalizers":null}}',
                    namespace=pod.namespace,
                ),
                cost="what the finalizer was there for is not done",
            ),
        ),
        useless=("`--force` does not help: finalizers hold it all the same",),
    )


def _whose(finalizer: str) -> str:
    who = next((who for prefix, who in FINALIZERS if finalizer.startswith(prefix)), "")
    return f"`{finalizer}` (taken away by {who})" if who else f"`{finalizer}`"


def not_ended(case: Case, pod: Pod, over: float | None) -> Finding:
    """The node works and no finalizer is left: the kubelet does not get it to end."""
    late = f" {duration(over)} after its grace period" if over else ""
    events = [
        one
        for one in case.events
        if one.reason in ("FailedKillPod", "FailedPreStopHook", "FailedUnmount", "ExceededGracePeriod")
    ]
    blocked = _BLOCKED.search(case.evidence.kernel(pod.node))
    process = f": process `{blocked.group(1)[:40]}` is stuck in the kernel" if blocked else ""
    detail = () if case.detail else ("the whole pod (its finalizers)",)
    return Finding(
        "terminating.not-ended",
        f"the kubelet on {pod.node or 'its node'} has not ended it{late}{process}{_holds(pod)}",
        evidence=tuple(f"{one.reason} at {one.time[11:16]}: {quoted(one.message)}" for one in events[:3]),
        remedies=(
            Remedy("See what its kubelet says", kubectl("describe", "pod", pod.name, namespace=pod.namespace)),
            Remedy(
                f"Look on {pod.node} for its processes (state D: stuck in a driver or a file system; only a reboot "
                "ends those)",
                "ps -eo pid,stat,wchan:32,cmd | awk '$2 ~ /D/'",
            ),
        ),
        unknown=detail,
    )
