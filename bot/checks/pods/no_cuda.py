"""A pod has a GPU and CUDA does not find it: the container toolkit or its runtime class is not in use."""

from collections.abc import Iterator

import msgspec

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity
from bot.checks.pods import engine_logs
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.gpu.stack.commands import delete

_SIGNS = frozenset({"cuda-no-device", "cuda-unavailable", "driver-library-missing"})


def _judge(scene: Scene) -> Iterator[Finding]:
    for pod, match in engine_logs.matches(scene, _SIGNS):
        found = engine_logs.fires(
            scene, pod, match, Severity.WARNING, "has a GPU and its program does not find it: toolkit or runtime class"
        )
        yield msgspec.structs.replace(found, evidence=(*found.evidence, *_more(scene)), remedies=tuple(_helps(pod)))
    if untold := engine_logs.untold(scene):
        yield engine_logs.unknown(scene, untold)


def _more(scene: Scene) -> Iterator[str]:
    classes = sorted({pod.runtime_class or "none" for pod in scene.sight.users})
    yield f"runtime classes of the GPU pods there: {', '.join(classes)}"


def _helps(pod: Pod) -> Iterator[Remedy]:
    yield Remedy("Give the pod `runtimeClassName: nvidia` where nvidia is not the node's default runtime")
    yield Remedy("Start it again when the toolkit is ready on the node", delete(pod))


CHECK = Check(
    id="pods.no_cuda",
    title="a pod does not find its GPU",
    severity=Severity.WARNING,
    source="NVIDIA/nvidia-container-toolkit, https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
