"""A pod that worked lost its GPU: `systemctl daemon-reload` rewrote its device rules. New pods are well.

All GPU pods of the node can lose theirs at the next reload.
"""

from collections.abc import Iterator

import msgspec

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity
from bot.checks.pods import engine_logs
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.gpu.stack.commands import delete

_SIGNS = frozenset({"nvml-unknown-error"})


def _judge(scene: Scene) -> Iterator[Finding]:
    for pod, match in engine_logs.matches(scene, _SIGNS):
        found = engine_logs.fires(
            scene,
            pod,
            match,
            Severity.WARNING,
            "lost access to its GPU (NVML: Unknown Error): its device rules were rewritten, a new pod gets it back",
        )
        yield msgspec.structs.replace(found, evidence=(*found.evidence, *_more(scene)), remedies=tuple(_helps(pod)))
    if untold := engine_logs.untold(scene):
        yield engine_logs.unknown(scene, untold)


def _more(scene: Scene) -> Iterator[str]:
    reloads = scene.kernel.reloads if scene.kernel else ()
    if reloads:
        yield f"systemd was reloaded {scene.sight.ago(reloads[-1].time)}".rstrip()


def _helps(pod: Pod) -> Iterator[Remedy]:
    yield Remedy("Delete the pod: its owner starts one that has the GPU", delete(pod), cost="its requests")
    yield Remedy("For good: use CDI in the container toolkit, or make the /dev/char links")


CHECK = Check(
    id="pods.lost_access",
    title="a pod lost access to its GPU",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
