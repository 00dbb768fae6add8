"""Which engine reads weights from the same place already: the best proof that they lie there."""

from bot.deploying.manifests.manifest import WEIGHTS_PATH
from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.scaling.forms import template_spec


def reader(view: View, namespace: str, claim: str, weights_path: str) -> Thing | None:
    """A workload with a ready pod that mounts that claim and is told that path below it."""
    below = weights_path.removeprefix(WEIGHTS_PATH)
    for kind in ("deployments", "statefulsets"):
        for thing in view.things(kind).values():
            if thing.namespace == namespace and _is_ready(thing) and _reads(thing, claim, below):
                return thing
    return None


def _is_ready(thing: Thing) -> bool:
    return bool(thing.fields.number("status", "readyReplicas"))


def _reads(thing: Thing, claim: str, below: str) -> bool:
    spec = template_spec(thing)
    claims = {one.text("name"): one.text("persistentVolumeClaim", "claimName") for one in spec.each("volumes")}
    volumes = {name for name, its in claims.items() if its == claim}
    return any(_told(container, volumes, below) for container in spec.each("containers"))


def _told(container: Fields, volumes: set[str], below: str) -> bool:
    words = (*container.texts("command"), *container.texts("args"))
    for mount in container.each("volumeMounts"):
        if mount.text("name") in volumes and not mount.text("subPath"):
            path = f"{mount.text('mountPath').rstrip('/')}{below}"
            if any(word.rpartition("=")[2].rstrip("/") == path for word in words):
                return True
    return False
