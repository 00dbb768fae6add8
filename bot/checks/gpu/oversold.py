"""More GPUs are offered than there are cards.

Somebody raised the number by hand, and pods share what they think is theirs.

Shares by time-slicing or MPS and slices of MIG are more than the cards, as they should be, and are not meant; nor are
the parts of cards that plugins such as HAMi's hand out under the whole cards' name.
"""

import re
from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.words import count
from bot.gpu.kind import Form
from bot.gpu.stack.commands import quoted
from bot.gpu.stack.expected import expected
from bot.gpu.stack.link import Link

# Project-HAMi/HAMi, 4paradigm/k8s-vgpu-scheduler, AliyunContainerService/gpushare-device-plugin, elastic-gpu.
_SPLITTERS = Pattern(r"hami|vgpu|gpu-?share|elastic-?gpu", re.IGNORECASE)


def _judge(scene: Scene) -> Iterator[Finding]:
    cards = None if _splits(scene) else _cards(scene)
    rows = [row for row in scene.sight.gpus.rows if row.kind.form is Form.WHOLE] if scene.sight.gpus else []
    for row in rows:
        if cards is None or row.allocatable <= cards[1]:
            continue
        yield Finding(
            state=State.FIRING,
            severity=Severity.CRITICAL,
            subject=scene.subject(),
            sentence=f"{scene.name} offers {row.allocatable} {row.resource} and has {count(cards[1], 'card')} "
            f"({cards[0]}): GPUs are oversold",
            evidence=(f"pods there hold {row.requested}",),
            remedies=(
                Remedy(
                    "See what the node says of itself, and who wrote it",
                    f"kubectl get node {quoted(scene.name)} -o yaml --show-managed-fields",
                ),
                Remedy(
                    "Restart the device plugin there: it registers the true number. Sharing on purpose is set in its "
                    "configuration (time-slicing, MPS, MIG), never in the node"
                ),
            ),
        )


def _splits(scene: Scene) -> bool:
    """Whether its device plugin cuts cards into parts of its own."""
    plugins = scene.sight.links.get(Link.DEVICE_PLUGIN, ())
    return any(_SPLITTERS.search(text) for pod in plugins for text in (pod.key, *(one.image for one in pod.containers)))


def _cards(scene: Scene) -> tuple[str, int] | None:
    """Who counts cards, and how many; the driver counts best."""
    if scene.agent_gpus:
        return "the driver lists them", len(scene.agent_gpus)
    told = expected(scene.sight.fleet, scene.node)
    return (told.source, told.count) if told is not None and told.count else None


CHECK = Check(
    id="gpu.oversold",
    title="more GPUs are offered than there are",
    severity=Severity.CRITICAL,
    source="kubernetes/kubernetes:pkg/kubelet/cm/devicemanager: only a device plugin counts devices",
    docs=__doc__ or "",
    reads=frozenset({Reads.API}),
    judge=_judge,
)
