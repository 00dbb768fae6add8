"""Volumes, configuration and devices that must be there before a container can be made.

The kubelet attaches and mounts all volumes first (events FailedAttachVolume, FailedMount), prepares resource claims
(FailedPrepareDynamicResources), then reads the ConfigMaps and Secrets that variables come from
(CreateContainerConfigError).
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.gpu.kind import is_gpu_resource
from bot.why.case import Case
from bot.why.containers import containers
from bot.why.finding import Finding, Stage
from bot.why.started.attachment import Attachment, attachment
from bot.why.started.kubelet_events import before_start, newest, times
from bot.why.started.missing_object import missing_object
from bot.why.started.say import clock, kubectl, quote

_TIMED_OUT = ("context deadline exceeded", "timed out waiting")


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or not pod.node or pod.finished:
        return
    multi = next((one for one in before_start(case, "FailedAttachVolume") if "Multi-Attach" in one.message), None)
    if multi is not None:
        yield _held_elsewhere(case, pod, attachment(case, pod, multi.message), multi)
    elif (event := _blocking(case)) is not None:
        yield _failed(case, pod, event)
    yield from _configuration(case, pod)


def _blocking(case: Case) -> Event | None:
    """Sandboxes are made once volumes are there, so a newer sandbox event means that they are."""
    event = newest(
        before_start(case, "FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedPrepareDynamicResources")
    )
    sandbox = newest(before_start(case, "FailedCreatePodSandBox"))
    if event is None or (sandbox is not None and sandbox.time > event.time):
        return None
    named = [one for one in before_start(case, "FailedMount", "FailedAttachVolume") if not _only_waits(one)]
    return named[0] if _only_waits(event) and named else event


def _only_waits(event: Event) -> bool:
    """`Unable to attach or mount volumes … timed out` names no reason; another event often does."""
    return event.message.startswith("Unable to attach or mount volumes")


def _held_elsewhere(case: Case, pod: Pod, found: Attachment, event: Event) -> Finding:
    claim = f"claim `{found.claim}`" if found.claim else f"volume `{found.volume}`"
    modes = f" is {names(found.modes)}: one node at a time" if found.one_node_only else " is attached to one node only"
    where = f", and {found.nodes[0]} has it" if found.nodes else ", and another node has it"
    users = names([one.key for one in found.users]) or found.said_users
    held = f" (for {users})" if users else ""
    gpus = sum(amount for resource, amount in pod.requests.items() if is_gpu_resource(resource))
    return Finding(
        "mounts.multi-attach",
        f"its {claim}{modes}{where}{held}, so it cannot be mounted on {pod.node}",
        evidence=(
            f"{event.source or 'kubelet'}{times(event)}, last {clock(case, event.time)}: {quote(event.message)}",
            *(
                [f"meanwhile {count(gpus, 'GPU')} of {pod.node} stay reserved for this pod and do nothing"]
                if gpus
                else []
            ),
        ),
        remedies=tuple(_ways_out(case, pod, found)),
        useless=("Other images, nodes with more GPUs or more time do not help: the volume stays where it is",),
        until=f"{users} has ended and the volume is detached" if found.leaving else "",
        unknown=case.not_read("persistentvolumeclaims", "volumeattachments"),
    )


def _ways_out(case: Case, pod: Pod, found: Attachment) -> Iterator[Remedy]:
    owner = case.owners[-1] if case.owners else None
    wanted = case.fields(owner).number("spec", "replicas") if owner is not None else None
    if owner is not None and wanted and wanted > 1 and owner.kind in ("Deployment", "StatefulSet", "ReplicaSet"):
        back = kubectl("-n", owner.namespace, "scale", f"{owner.kind.lower()}/{owner.name}", "--replicas=1")
        yield Remedy("Until the storage is changed: scale back to 1", back, False, cost="one replica serves alone")
    elif owner is not None and owner.kind == "Deployment":
        yield Remedy(f"Set `strategy: Recreate` on deployment {owner.key}: the old pod ends before the new one starts")
    yield Remedy("Put the data on shared storage (ReadWriteMany, or ReadOnlyMany for weights that are only read)")
    yield Remedy("Or give each replica a volume of its own (volumeClaimTemplates), or download per node")


def _failed(case: Case, pod: Pod, event: Event) -> Finding:
    what, words, remedies = _told(pod, event)
    return Finding(
        f"mounts.{what}",
        words,
        evidence=(
            f"{event.source or 'kubelet'}{times(event)}, last {clock(case, event.time)}: {quote(event.message, 300)}",
        ),
        remedies=remedies,
    )


def _told(pod: Pod, event: Event) -> tuple[str, str, tuple[Remedy, ...]]:
    """Id, sentence, remedies."""
    see = Remedy("See all events of the pod", kubectl("-n", pod.namespace, "describe", "pod", pod.name))
    missing = missing_object(event.message)
    if missing is not None:
        return "missing", f"a volume cannot be mounted: {missing.words}", (missing.remedy(pod), see)
    if event.reason == "FailedPrepareDynamicResources":
        words = f"the driver on {pod.node} cannot prepare the devices of its resource claim: {quote(event.message)}"
        look = kubectl("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={pod.node}")
        return (
            "claim-not-prepared",
            words,
            (Remedy(f"Look at the DRA driver's kubelet plugin on {pod.node}", look), see),
        )
    step = "attached to" if event.reason == "FailedAttachVolume" else "mounted on"
    if any(text in event.message for text in _TIMED_OUT):
        words = f"a volume could not be {step} {pod.node} in time: {quote(event.message)}"
        return "timeout", words, (Remedy("Look at the storage driver's pods, on the node and its controller"), see)
    return "failed", f"a volume cannot be {step} {pod.node}: {quote(event.message)}", (see,)


def _configuration(case: Case, pod: Pod) -> Iterator[Finding]:
    for one in containers(case):
        if one.waiting != "CreateContainerConfigError":
            continue
        missing = missing_object(one.message)
        why = missing.words if missing else quote(one.message) if one.message else "the kubelet does not say why"
        see = Remedy("See the pod's events", kubectl("-n", pod.namespace, "describe", "pod", pod.name))
        yield Finding(
            "mounts.configuration",
            f"`{one.name}` cannot be configured: {why}",
            evidence=(f"kubelet: {quote(one.message)}",) if one.message else (),
            remedies=(missing.remedy(pod),) if missing else (see,),
        )
        return


STAGE = Stage(
    "mounts",
    94,
    judge,
    needs=frozenset({"pods", "events", "persistentvolumeclaims", "persistentvolumes", "volumeattachments"}),
    docs=__doc__ or "",
)
