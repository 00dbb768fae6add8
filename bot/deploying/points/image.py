"""Whether the image can be pulled: told by pods here that run it, that cannot get it, or that use the same registry."""

from collections import Counter
from collections.abc import Iterator

from bot.checks.preflight.image import registry
from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.domain.words import count
from bot.gpu.stack.pods import NO_IMAGE, stuck
from bot.why.shell import kubectl


def judge(ground: Ground) -> Told:
    draft = ground.manifests.draft
    image, nodes = draft.image, frozenset(draft.pool.nodes)
    run = _run(ground.view)
    same = {name for name in run if _full(name) == _full(image)}
    users = [pod for pod in ground.view.pods.values() if pod.phase == "Running" and _uses(pod, same)] if same else []
    if users:
        near = sum(1 for pod in users if pod.node in nodes)
        where = f", {near} of them on its nodes" if near else ""
        return Told(True, f"{count(len(users), 'pod')} here run `{image}` already{where}")
    refused = next(_refused(ground.view, image), None)
    if refused is not None:
        look = kubectl("describe", "pod", refused.name, namespace=refused.namespace)
        return Told(False, f"{refused.key} does not get `{image}` from its registry", f"see what it says: `{look}`")
    return _by_others(run, image)


def _run(view: View) -> Counter[str]:
    """Running containers by the name of their image: names are few, so that they are taken apart once each."""
    return Counter([one.image for pod in view.pods.values() if pod.phase == "Running" for one in pod.containers])


def _by_others(run: Counter[str], image: str) -> Told:
    alike = sum(number for name, number in run.items() if name and _repository(name) == _repository(image))
    if alike:
        return Told(True, f"{count(alike, 'pod')} here run another version from `{image.rpartition(':')[0]}`")
    host = registry(image)
    near = sum(number for name, number in run.items() if name and registry(name) == host)
    others = f"other images of {host} run in {count(near, 'container')}"
    told = others if near else f"no image of {host} runs here"
    return Told(
        None,
        f"whether nodes here can pull `{image}`: {told}",
        "The first pod tells; with a mirror type `image=MIRROR/vllm-openai:TAG`",
    )


def _uses(pod: Pod, names: set[str]) -> bool:
    return any(one.image in names for one in pod.containers)


def _refused(view: View, image: str) -> Iterator[Pod]:
    """In the order of their names: one that cannot pull is among those that do not plainly run."""
    for pod in sorted(view.ailing, key=lambda one: one.key):
        held = stuck(pod) if any(_full(one.image) == _full(image) for one in pod.containers) else None
        if held is not None and held.waiting in NO_IMAGE:
            yield pod


def _full(image: str) -> str:
    """With its registry, which Docker Hub's images may leave out."""
    host = registry(image)
    return image if image.startswith(f"{host}/") else f"{host}/{image}"


def _repository(image: str) -> str:
    head, slash, last = _full(image).partition("@")[0].rpartition("/")
    return f"{head}{slash}{last.partition(':')[0]}"


POINT = Asked(40, "image", "Image", judge, page=__doc__ or "")
