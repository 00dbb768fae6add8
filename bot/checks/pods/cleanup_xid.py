"""Xid 45 alone: a program was cleaned up after it ended. Repeated on NVSwitch it points to fabric manager."""

from collections.abc import Iterator

from bot.checks import by_xid
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.products import on_switch
from bot.checks.scene import Scene
from bot.checks.xid_events import Burst
from bot.checks.xid_groups import CLEANUP
from bot.domain.answer import Remedy
from bot.gpu.stack import commands

OFTEN = 5  # bursts of nothing else in a day; ours


def _judge(scene: Scene) -> Iterator[Finding]:
    for group in by_xid.caused_by(scene, CLEANUP):
        alone = [burst for burst in group if burst.codes == (45,)]
        repeats = len(alone) >= OFTEN and on_switch(alone[-1].gpu.name if alone[-1].gpu else "")
        severity = Severity.WARNING if repeats else Severity.INFO
        yield by_xid.fires(scene, group, _fabric if repeats else _nothing, severity)


def _nothing(scene: Scene, burst: Burst) -> Iterator[Remedy]:
    yield Remedy("Nothing has to be done: see whether a pod was killed or evicted at that minute")


def _fabric(scene: Scene, burst: Burst) -> Iterator[Remedy]:
    yield Remedy(
        "See whether the fabric manager is well; restart it when no job runs there",
        commands.on_host(scene.name, "systemctl status nvidia-fabricmanager --no-pager"),
    )


CHECK = Check(
    id="pods.cleanup_xid",
    title="a program was cleaned up on a GPU",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html (45)",
    docs=__doc__ or "",
    reads=by_xid.TOLD_BY,
    judge=_judge,
)
