"""What could not be seen of a node, and where its numbers come from instead."""

from collections.abc import Iterator

from bot.checks.scene import Reads, Scene
from bot.domain.source import Source
from bot.domain.words import count, names
from bot.gpu.stack.vendor import NVIDIA
from bot.views.gpu_node_findings import Judged

_NUMBERS = "utilisation, memory, power and temperature"


def lines(scene: Scene, found: Judged, needed: tuple[str, ...]) -> list[str]:
    """Each a clause; empty where everything was seen."""
    if scene.sight.gpus is None and scene.sight.expected is None:
        return list(_kinds(scene, ("nodes", "pods")))
    return [*_readings(scene), *_checks(found), *_kinds(scene, needed)]


def _readings(scene: Scene) -> Iterator[str]:
    if scene.sight.vendor is not NVIDIA:
        return
    if Reads.AGENT not in scene.at_hand:
        yield _instead(scene)
    elif scene.agent is not None and scene.agent.trouble:
        yield f"node agent of {scene.name}: {scene.agent.trouble}"
    elif scene.oddness:
        yield f"node agent of {scene.name}: {scene.oddness}"
    if Reads.KERNEL not in scene.at_hand:
        yield f"{scene.why_missing(Reads.KERNEL)}: whether there were Xids is not known from there"


def _instead(scene: Scene) -> str:
    agent = scene.why_missing(Reads.AGENT)
    if Reads.DCGM in scene.at_hand:
        return f"{agent}: {_NUMBERS} come from the DCGM exporter, which tells less"
    return f"{agent} and {scene.why_missing(Reads.DCGM)}: nobody told {_NUMBERS} of its GPUs"


def _checks(found: Judged) -> Iterator[str]:
    """Checks without anything to read, by what they are about."""
    if found.unknown:
        families = sorted({one.check.partition(".")[0] for one in found.unknown})
        yield f"{count(len(found.unknown), 'check')} had nothing to read ({names(families, 8)})"


def _kinds(scene: Scene, needed: tuple[str, ...]) -> Iterator[str]:
    """Those that are not known for the same reason in one line."""
    by_reason: dict[str, list[Source]] = {}
    for kind in needed:
        if not (source := scene.view.source(kind)).known:
            by_reason.setdefault(source.detail or str(source.reading), []).append(source)
    for reason, missing in by_reason.items():
        yield f"{names([source.name for source in missing], 8)}: {reason}"
