"""Volumes, configuration and devices that must be there before a container can be made.

The kubelet attaches and mounts all volumes first (events FailedAttachVolume, FailedMount), prepares resource claims
(FailedPrepareDynamicResources), then reads the ConfigMaps and Secrets that variables come from
(CreateContainerConfigError).
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import containers
from bot.why.finding import Finding, Stage
from bot.why.shell import kubectl
from bot.why.started import mount_words, storage_driver
from bot.why.started.attachment import attachment
from bot.why.started.frames import unframed
from bot.why.started.held_volume import held_elsewhere
from bot.why.started.kubelet_events import before_start, newest, times
from bot.why.started.missing_object import Missing, missing_object, of_volume
from bot.why.started.ownership import ownership
from bot.why.started.same_path import same_path
from bot.why.started.say import clock, quote

_TIMED_OUT = ("context deadline exceeded", "timed out waiting")


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or not pod.node or pod.finished:
        return
    multi = next((one for one in before_start(case, "FailedAttachVolume") if "Multi-Attach" in one.message), None)
    if multi is not None:
        yield held_elsewhere(case, pod, attachment(case, pod, multi.message), multi)
    elif (event := _blocking(case)) is not None:
        yield _failed(case, pod, event)
    else:
        yield from ownership(case, pod)
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


def _failed(case: Case, pod: Pod, event: Event) -> Finding:
    known = mount_words.trouble(event.message, pod.node)
    missing = _missing(case, event)
    if known is not None and missing is None:
        return _known(case, pod, event, known)
    what, words, remedies = _told(pod, event, missing)
    return Finding(f"mounts.{what}", words, evidence=(_said(case, event),), remedies=remedies)


def _said(case: Case, event: Event) -> str:
    said = quote(unframed(event.message), 300)
    return f"{event.source or 'kubelet'}{times(event)}, last {clock(case, event.time)}: {said}"


def _missing(case: Case, event: Event) -> Missing | None:
    found = missing_object(event.message)
    return of_volume(case, found, event.message) if found is not None and not found.name else found


def _known(case: Case, pod: Pod, event: Event, known: mount_words.Told) -> Finding:
    by_driver = known.id == "driver-not-registered"
    more = storage_driver.evidence(case, known.name, pod.node) if by_driver else ()
    shared = same_path(case, pod, known.name) if known.id == "host-path" else ()
    look = (storage_driver.look(case, known.name, pod.node),) if by_driver else ()
    return Finding(
        f"mounts.{known.id}",
        known.words,
        evidence=(_said(case, event), *more, *shared),
        remedies=(Remedy(known.remedy), *look, _see(pod)),
        useless=(known.useless,) if known.useless else (),
    )


def _see(pod: Pod) -> Remedy:
    return Remedy("See all events of the pod", kubectl("-n", pod.namespace, "describe", "pod", pod.name))


def _told(pod: Pod, event: Event, missing: Missing | None) -> tuple[str, str, tuple[Remedy, ...]]:
    """Id, sentence, remedies."""
    see, said = _see(pod), quote(unframed(event.message))
    if missing is not None:
        return "missing", f"a volume cannot be mounted: {missing.words}", (missing.remedy(pod), see)
    if event.reason == "FailedPrepareDynamicResources":
        words = f"the driver on {pod.node} cannot prepare the devices of its resource claim: {said}"
        look = kubectl("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={pod.node}")
        return (
            "claim-not-prepared",
            words,
            (Remedy(f"Look at the DRA driver's kubelet plugin on {pod.node}", look), see),
        )
    step = "attached to" if event.reason == "FailedAttachVolume" else "mounted on"
    if any(text in event.message for text in _TIMED_OUT):
        words = f"a volume could not be {step} {pod.node} in time: {said}"
        return "timeout", words, (Remedy("Look at the storage driver's pods, on the node and its controller"), see)
    return "failed", f"a volume cannot be {step} {pod.node}: {said}", (see,)


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
    needs=frozenset(
        {
            "pods",
            "nodes",
            "events",
            "persistentvolumeclaims",
            "persistentvolumes",
            "volumeattachments",
            "csinodes",
            "daemonsets",
        }
    ),
    docs=__doc__ or "",
)
