"""Any other Xid that is put down to the GPU or its links, and those that the catalogue does not know."""

from collections.abc import Iterator

from bot.checks import by_xid
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.checks.xid_groups import told_elsewhere


def _judge(scene: Scene) -> Iterator[Finding]:
    codes = frozenset(burst.cause.code for burst in scene.bursts) - told_elsewhere()
    yield from (by_xid.fires(scene, group) for group in by_xid.caused_by(scene, codes))


CHECK = Check(
    id="gpu.other_xid",
    title="a GPU reported another error",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=by_xid.TOLD_BY,
    judge=_judge,
)
