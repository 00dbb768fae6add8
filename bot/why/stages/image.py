"""The image is not there: it cannot be pulled, or is still being pulled.

The container waits with reason ErrImagePull, ImagePullBackOff, InvalidImageName and the like. GPU images have 9 to
30 GB, so that a pull of many minutes is progress; a node pulls one after the other as a rule.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pattern import Pattern
from bot.domain.words import duration, names
from bot.why.case import Case
from bot.why.containers import Container, containers
from bot.why.finding import Finding, Stage
from bot.why.shell import kubectl
from bot.why.started.frames import unframed
from bot.why.started.kubelet_events import newest, of
from bot.why.started.owned import template_image
from bot.why.started.plain import plain
from bot.why.started.pull import REASONS, Trouble, trouble
from bot.why.started.say import clock, quote, size

SUSPICIOUS_SECONDS = 30 * 60
USUAL = "2 to 6 min for an engine image of about 10 GB, 10 to 20 min from a slow registry"
_PULLS = kubectl("get", "events", "-A", "--field-selector", "reason=Pulling")
_SECRETS = Pattern(r"image pull secrets \(([\w., -]{1,300})\)")
_IMAGE = Pattern(r'image "([^"]{1,400})"')
_PART = Pattern(r"(\d{1,6}(?:\.\d{1,9})?)(ms|h|m|s)")  # Go's durations
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_TOOK = Pattern(r"in ([0-9.hms]{2,24}) \(.{0,60}?including waiting\)(?:\. Image size: (\d{1,15}) bytes)?")


def judge(case: Case) -> Iterator[Finding]:
    if case.pod is None or not case.pod.node or case.pod.finished:
        return
    failing = [one for one in containers(case) if one.waiting in REASONS]
    for image, users in _by_image(failing).items():
        yield _cannot(case, image, users)
    if not failing and (pulling := _pulling(case)) is not None:
        yield pulling


def _by_image(failing: list[Container]) -> dict[str, list[Container]]:
    found: dict[str, list[Container]] = {}
    for one in failing:
        found.setdefault(one.image, []).append(one)
    return found


def _cannot(case: Case, image: str, users: list[Container]) -> Finding:
    pod = case.pod
    assert pod is not None
    event = next((one for one in of(case, "Failed") if "pull image" in one.message and image in one.message), None)
    said = max((users[0].message, event.message if event else ""), key=len)
    found = _secret_missing(case, trouble(users[0].waiting, said))
    why = found.words if found else quote(unframed(said)) if said else "the kubelet does not say why"
    whose = names([f"`{one.name}`" for one in users])
    newer = template_image(case, users[0])
    return Finding(
        f"image.{found.id if found else 'pull-failed'}",
        f"the image `{image}` of {whose} cannot be pulled on {pod.node}: {why}",
        evidence=(
            *_evidence(case, image, said, event),
            *(_architecture(case) if found and found.id == "architecture" else ()),
            *([f"the template of its owner says `{newer}` by now, this pod was made before"] if newer else []),
        ),
        remedies=(
            *([Remedy(found.remedy)] if found and not newer else []),
            Remedy("See the whole error", kubectl("-n", pod.namespace, "describe", "pod", pod.name)),
        ),
        useless=(found.useless,) if found and found.useless else (),
        numbers={"image": image},
    )


def _secret_missing(case: Case, found: Trouble | None) -> Trouble | None:
    """Where the registry refuses, and the kubelet did not find the pod's pull secrets."""
    secret = next(of(case, "FailedToRetrieveImagePullSecret"), None)
    named = _SECRETS.search(secret.message) if secret else None
    if case.pod is None or named is None or (found is not None and found.id not in ("no-access", "no-login")):
        return found
    which = names([f"`{plain(one.strip())}`" for one in named[1].split(",")])
    return Trouble(
        "pull-secret-missing",
        "",
        f"its pull secret {which} does not exist in namespace {case.pod.namespace}, and the registry gives no access "
        "without it",
        f"Create {which} in namespace {case.pod.namespace} (Secrets are not shared between namespaces), or correct the "
        "name in imagePullSecrets",
    )


def _evidence(case: Case, image: str, said: str, event: Event | None) -> Iterator[str]:
    pod = case.pod
    assert pod is not None
    if said:
        yield f"kubelet: {quote(unframed(said), 300)}"
    if event is not None and event.count > 1:
        yield f"tried {event.count:,} times since {clock(case, event.first).removeprefix('at ')}; pauses grow to 5 min"
    if (secret := next(of(case, "FailedToRetrieveImagePullSecret"), None)) is not None:
        yield f"kubelet: {quote(secret.message)}"
    elif case.detail.get("spec"):
        secrets = [one.text("name") for one in case.detail.each("spec", "imagePullSecrets")]
        yield f"pull secrets: {names([f'`{plain(name)}`' for name in secrets])}" if secrets else "no imagePullSecrets"
    others = [one for one in case.view.pods.values() if one is not pod and _runs(one.containers, image) and one.node]
    running = sorted({one.node for one in others if one.phase == "Running" and one.node != pod.node})
    if running:
        yield f"the same image runs on {names(running)}, so it exists"


def _architecture(case: Case) -> Iterator[str]:
    node = case.view.nodes.get(case.pod.node) if case.pod else None
    if node is not None and (named := plain(node.labels.get("kubernetes.io/arch", ""), 20)):
        yield f"{node.name} is `{named}`"


def _runs(kept: tuple[object, ...], image: str) -> bool:
    return any(getattr(one, "image", "") == image for one in kept)


def _pulling(case: Case) -> Finding | None:
    """A pull that has begun and has neither ended nor failed."""
    pod = case.pod
    begun = newest(of(case, "Pulling"))
    if pod is None or pod.phase != "Pending" or begun is None:
        return None
    over = newest(one for one in of(case, "Pulled", "Failed", "BackOff") if one.time >= begun.time)
    seconds = case.age_seconds(begun.time)
    if over is not None or seconds is None:
        return None
    found = _IMAGE.search(begun.message)
    image = plain(found[1]) if found else "its image"
    before = _elsewhere(case, image)
    slow = seconds > max(SUSPICIOUS_SECONDS, 2 * before.seconds if before else 0)
    usual = f"{before.pod} needed {duration(before.seconds)}" if before and before.seconds else USUAL
    return Finding(
        "image.pulling-long" if slow else "image.pulling",
        f"the image `{image}` has been pulling on {pod.node} for {duration(max(1.0, seconds))}"
        f"{', longer than usual' if slow else ', which is progress'}",
        evidence=(before.words if before else f"usual: {USUAL}", *_same_node(case)),
        remedies=(Remedy("See whether other pulls on the node come first", _PULLS),) if slow else (),
        until="" if slow else f"the image is there ({usual})",
    )


@dataclass(frozen=True, slots=True)
class _Pull:
    """One that is over. `seconds` is 0 where its time cannot be read."""

    pod: str
    seconds: float
    words: str


def _elsewhere(case: Case, image: str) -> _Pull | None:
    """How long the same image took before, by events that are still there."""
    for event in case.view.events.values():
        if event.reason == "Pulled" and f'"{image}"' in event.message and (took := _TOOK.search(event.message)):
            large = f" ({size(int(took[2]))})" if took[2] else ""
            seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(took[1]))
            return _Pull(event.about_name, seconds, f"{event.about_name} pulled it{large} in {took[1]}")
    return None


def _same_node(case: Case) -> Iterator[str]:
    """A node pulls one image after the other unless it is told otherwise."""
    pod = case.pod
    assert pod is not None
    others = [one for one in case.view.on_node(pod.node) if one is not pod and one.phase == "Pending"]
    waiting = [one.key for one in others if any(state.waiting == "ContainerCreating" for state in one.states)]
    if waiting:
        yield f"also starting on {pod.node}: {names(sorted(waiting))}; pulls on a node may wait for one another"


STAGE = Stage("image", 96, judge, needs=frozenset({"pods", "events"}), docs=__doc__ or "")
