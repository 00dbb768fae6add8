"""A memory error that was confined to one program (Xid 94): that program is gone, others go on.

The row is put aside at the next reset. The device plugin keeps the GPU out all the same until it is restarted.
"""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity
from bot.checks.scene import Scene
from bot.checks.xid_events import Burst
from bot.domain.answer import Remedy


def _advise(scene: Scene, burst: Burst) -> Iterator[Remedy]:
    """No emergency: the program that was hit is started again by its owner."""
    if burst.gpu is not None:
        yield remedies.counters(scene, burst.gpu)
        yield remedies.reset(scene, burst.gpu, "at the next drain, so that the row is put aside")
    yield from remedies.restart_plugin(scene)


CHECK = Check(
    id="memory.contained",
    title="a memory error ended a program",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((94,), advise=_advise),
)
