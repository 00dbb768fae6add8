"""A fatal error of an NVSwitch (SXid): all GPUs of the board are touched by it. Drain and reboot; repeated: replace."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.scene import Scene
from bot.checks.xid_events import RECENT
from bot.domain.text import inert
from bot.domain.words import count


def _judge(scene: Scene) -> Iterator[Finding]:
    errors = [
        one
        for one in (scene.kernel.switch_errors if scene.kernel else ())
        if one.time is None or scene.now - one.time <= RECENT
    ]
    if not errors:
        return
    first = errors[0]
    yield Finding(
        state=State.FIRING,
        severity=Severity.CRITICAL,
        subject=Subject(node=scene.name, bus_id=first.bus),
        sentence=f"{scene.name}'s NVSwitch {first.bus} reported fatal SXid {first.code} "
        f"{scene.sight.ago(first.time)}".rstrip(),
        evidence=(
            f"kernel, {count(len(errors), 'line')}: “{inert(first.text, 160)}”",
            "all GPUs of the board are touched by it",
        ),
        remedies=(
            remedies.evidence(scene),
            *remedies.move(scene),
            remedies.reboot(scene, "repeated: replace the board"),
        ),
        at=first.time,
    )


CHECK = Check(
    id="links.nvswitch",
    title="an NVSwitch failed",
    severity=Severity.CRITICAL,
    source="leptonai/gpud:components/accelerator/nvidia/sxid, NVIDIA/NVSentinel",
    docs=__doc__ or "",
    reads=frozenset({Reads.KERNEL}),
    judge=_judge,
)
