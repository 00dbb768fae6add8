"""The board's own flash (InfoROM) is corrupted: NVML error 14, or the driver's words. It works until it does not."""

import re
from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import fires
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.scene import Scene
from bot.checks.xid_events import bus_of
from bot.domain.pattern import Pattern
from bot.domain.text import inert

CORRUPTED = 14  # NVML_ERROR_CORRUPTED_INFOROM
_WORDS = Pattern(r"info ?rom is corrupted at gpu (?:PCI:)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})", re.IGNORECASE)


def _judge(scene: Scene) -> Iterator[Finding]:
    said = dict(_said(scene))
    for gpu in scene.gpus:
        words = said.pop(bus_of(gpu.bus_id), "")
        if CORRUPTED not in gpu.errors.values() and not words:
            continue
        yield fires(
            scene,
            gpu,
            Severity.CRITICAL,
            "has a corrupted InfoROM (its board's own flash): it works until it does not, and has to be replaced",
            evidence=(f"kernel: “{words}”",) if words else (f"NVML error {CORRUPTED}",),
            remedies=(*remedies.move(scene), remedies.replace(scene, gpu)),
        )
    for bus, words in said.items():
        yield Finding(
            state=State.FIRING,
            severity=Severity.CRITICAL,
            subject=Subject(node=scene.name, bus_id=bus),
            sentence=f"{scene.name}'s GPU {bus} has a corrupted InfoROM (its board's flash), and has to be replaced",
            evidence=(f"kernel: “{words}”",),
            remedies=tuple(remedies.move(scene)),
        )


def _said(scene: Scene) -> Iterator[tuple[str, str]]:
    for line in scene.kernel.lines if scene.kernel else ():
        if found := _WORDS.search(line.text):
            yield found[1].lower()[-10:], inert(line.text, 160)


CHECK = Check(
    id="gpu.inforom",
    title="the InfoROM of a GPU is corrupted",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/nvml-api/ (NVML_ERROR_CORRUPTED_INFOROM)",
    docs=__doc__ or "",
    reads=frozenset({Reads.AGENT, Reads.KERNEL}),
    judge=_judge,
)
