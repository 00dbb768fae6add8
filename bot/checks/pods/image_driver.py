"""An image whose CUDA the node's driver cannot run: it dies at its start (errors 35, 803, a requirement error)."""

from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.pods import engine_logs
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.serving import driver
from bot.serving.driver import Version

_SIGNS = frozenset({"driver-too-old", "driver-insufficient", "driver-requirement", "driver-ptx", "driver-compat-mix"})


def _judge(scene: Scene) -> Iterator[Finding]:
    has = driver.version(scene.driver_version)
    for pod in scene.sight.users:
        for image in dict.fromkeys(one.image for one in pod.containers if not one.init and _asks(pod)):
            cuda = driver.cuda_of_image(image)
            if cuda is None or has is None:
                continue
            needs = driver.minimum_driver(cuda)
            if needs is not None and has < needs and not _runs(pod):
                yield from _fires(scene, pod, image, cuda, needs)
    if has is None and scene.sight.users:
        yield _unknown(scene)


def _asks(pod: Pod) -> bool:
    return bool(pod.requests or pod.claims)


def _runs(pod: Pod) -> bool:
    """A compatibility package in the image makes it run all the same."""
    return bool(pod.states) and all(state.ready for state in pod.states)


def _fires(scene: Scene, pod: Pod, image: str, cuda: Version, needs: Version) -> Iterator[Finding]:
    """Its log decides: without one the image may bring a compatibility package, which makes it start all the same."""
    complains = pod.key in {one.key for one, _ in engine_logs.matches(scene, _SIGNS)}
    if not complains and pod not in engine_logs.untold(scene):
        return
    yield Finding(
        state=State.FIRING,
        severity=Severity.WARNING if complains else Severity.INFO,
        subject=Subject(node=scene.name, pod=pod.key),
        sentence=f"{pod.key} on {scene.name} has CUDA {cuda} in its image and needs driver {needs} or newer, "
        f"the node has {scene.driver_version}",
        evidence=(f"image `{inert(image)}`",),
        remedies=(
            Remedy("Take a variant of the image with an older CUDA (vLLM: the tag with `-cu129`)"),
            Remedy(f"Or let it run on nodes whose driver is {needs} or newer; upgrade this one at its next drain"),
        ),
        useless=("NVIDIA_DISABLE_REQUIRE only skips the check: the program fails after it",),
    )


def _unknown(scene: Scene) -> Finding:
    return Finding(
        state=State.UNKNOWN,
        severity=Severity.INFO,
        subject=scene.subject(),
        sentence=f"{scene.name}: its driver's version was not told, so images cannot be compared with it",
        missing=("the driver's version (label, agent, exporter or kernel messages)",),
    )


CHECK = Check(
    id="pods.image_driver",
    title="an image needs a newer driver",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/cuda-compatibility/",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
