"""Images of GPU pods come to the node: which registries they are pulled from, and whether one of them refuses.

What no registry has is the workload's own mistake and is only noted. A mirror that the container runtime's
configuration sets (hosts.toml) is seen by nobody from outside; a registry of one's own shows in the image's name.
"""

from bot.checks.preflight.ground import Ground
from bot.checks.preflight.point import Outcome, Point
from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import names
from bot.gpu.stack.commands import quoted
from bot.gpu.stack.pods import NO_IMAGE, stuck

PUBLIC = frozenset("docker.io ghcr.io nvcr.io quay.io gcr.io registry.k8s.io mcr.microsoft.com public.ecr.aws".split())
_NOT_THERE = Pattern(r"(?i)not found|manifest unknown|does not exist|invalid reference|couldn't parse image")
_MIRROR = Remedy(
    "Give the node a mirror of that registry (containerd: `/etc/containerd/certs.d/HOST/hosts.toml`), "
    "or take the image from a registry of your own"
)


def judge(ground: Ground) -> Outcome:
    users = ground.scene.sight.users
    refused = [pod for pod in users if (held := stuck(pod)) is not None and held.waiting in NO_IMAGE]
    own = [pod for pod in refused if _NOT_THERE.search(_said(ground, pod))]
    barred = [pod for pod in refused if pod not in own]
    if barred:
        return _barred(ground, barred)
    came = sorted({registry(image) for pod in users if pod not in refused for image in _images(pod)})
    notes = [f"{pod.key} asks for an image that its registry does not have" for pod in own]
    if came:
        straight = [host for host in came if host in PUBLIC]
        mirror = f"straight from {names(straight)}, by their names" if straight else "none of them a public one"
        return ground.ok(f"got its GPU pods' images from {names(came)}", mirror, notes=notes)
    if not ground.scene.view.knows("pods"):
        return ground.unknown("pods.unread", "has pods that were not read, and so their images")
    return ground.unknown("image.untried", "runs no GPU pod, so nothing tells where its images would come from")


def registry(image: str) -> str:
    """The host of an image's name; Docker Hub where it names none."""
    first, slash, _ = image.partition("/")
    return first if slash and ("." in first or ":" in first or first == "localhost") else "docker.io"


def _images(pod: Pod) -> list[str]:
    return [one.image for one in pod.containers if one.image]


def _said(ground: Ground, pod: Pod) -> str:
    """The registry's own words, as the kubelet passed them on."""
    events = ground.scene.view.events_on("Pod", pod.namespace, pod.name)
    return next((one.message for one in events if "Failed to pull" in one.message), "")


def _barred(ground: Ground, pods: list[Pod]) -> Outcome:
    pod = pods[0]
    held = stuck(pod)
    kept = pod.container(held.name) if held is not None else None
    image = kept.image if kept is not None else ""
    said = _said(ground, pod)
    look = Remedy(
        "See what the registry answers", f"kubectl -n {quoted(pod.namespace)} describe pod {quoted(pod.name)}"
    )
    return ground.wrong(
        "image.refused",
        f"does not get the image{f' `{inert(image)}`' if image else ''} of {names([one.key for one in pods])}",
        *([f"kubelet: “{inert(said, 300)}”"] if said else []),
        remedies=(look, _MIRROR),
    )


POINT = Point(9, "image", "images come, from which registry", False, judge, __doc__ or "")
