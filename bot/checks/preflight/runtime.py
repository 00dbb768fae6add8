"""The container runtime hands GPUs to containers: pods use them there, or the stack's own containers see the driver."""

from collections.abc import Iterator

from bot.checks.preflight.ground import Ground, runs
from bot.checks.preflight.point import Outcome, Point
from bot.domain.words import count
from bot.gpu.stack.link import Link

_PROVE = (Link.VALIDATOR, Link.TOOLKIT, Link.DEVICE_PLUGIN)


def judge(ground: Ground) -> Outcome:
    sight = ground.scene.sight
    if not ground.nvidia:
        return ground.ok(f"has {sight.vendor.name} GPUs, which need no runtime of their own")
    classes = sorted(name for name in sight.view.things("runtimeclasses") if "nvidia" in name)
    named = f"runtime class `{classes[0]}`" if classes else "no runtime class of NVIDIA's: the default runtime, or CDI"
    proof = next(_proofs(ground), "")
    if proof:
        return ground.ok(
            f"gives containers their GPUs: {proof}", *([named] if sight.view.knows("runtimeclasses") else [])
        )
    return ground.unknown("runtime.unproven", "has run no container with a GPU that anybody told of")


def _proofs(ground: Ground) -> Iterator[str]:
    sight = ground.scene.sight
    ready = [pod for pod in sight.users if runs(pod)]
    if ready:
        yield f"{count(len(ready), 'GPU pod')} there {'runs' if len(ready) == 1 else 'run'}"
    for link in _PROVE:
        for pod in sight.links.get(link, ()):
            if runs(pod) and sight.offered:
                yield f"the {link}'s pod {pod.key} is ready"
    if sight.offered and ground.scene.node.ready is True:
        yield "its device plugin loads the driver's library in a container"


POINT = Point(6, "runtime", "runtime gives containers their GPUs", True, judge, __doc__ or "")
