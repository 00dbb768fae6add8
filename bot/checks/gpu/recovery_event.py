"""The driver's verdict in the kernel messages (Xid 154), for nodes of which no reading tells the recovery action."""

import re
from collections.abc import Iterator

from bot.checks import by_xid
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.checks.xid_events import Burst
from bot.domain.pattern import Pattern
from bot.domain.text import inert

_CHANGED = Pattern(r"changed from 0x[0-9a-f]+ \([^)]{0,40}\) to 0x(?P<to>[0-9a-f]+) \((?P<name>[^)]{1,40})\)", re.I)
_CONVENIENT = frozenset({3, 4})


def _judge(scene: Scene) -> Iterator[Finding]:
    for burst in _newest(scene).values():
        changed = next((match for one in reversed(burst.events) if (match := _CHANGED.search(one.text))), None)
        if changed is None or (burst.gpu is not None and burst.gpu.recovery_action is not None):
            continue
        action = int(changed["to"], 16)
        if action:
            severity = Severity.WARNING if action in _CONVENIENT else Severity.CRITICAL
            told = by_xid.fires(scene, [burst], severity=severity)
            yield _named(told, by_xid.whose(scene, burst), inert(changed["name"], 40), scene.sight.ago(burst.at))


def _newest(scene: Scene) -> dict[str, Burst]:
    """The newest burst of each GPU in which the driver named an action."""
    return {burst.bus: burst for burst in scene.bursts if 154 in burst.codes}


def _named(finding: Finding, whose: str, action: str, ago: str) -> Finding:
    return Finding(
        state=finding.state,
        severity=finding.severity,
        subject=finding.subject,
        sentence=f"{whose}: its driver asks for “{action}” (Xid 154) {ago}".rstrip(),
        evidence=finding.evidence,
        remedies=finding.remedies,
        at=finding.at,
    )


CHECK = Check(
    id="gpu.recovery_event",
    title="the driver asked for a recovery action",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/error-recovery-and-response-flags.html",
    docs=__doc__ or "",
    reads=frozenset({Reads.KERNEL, Reads.AGENT}),
    judge=_judge,
)
