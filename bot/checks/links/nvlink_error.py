"""An NVLink failed (Xid 74, up to Hopper; 136 and 155: it did not come up).

Pods that use several GPUs hang in NCCL rather than crash.
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
    which = f" -i {burst.gpu.index}" if burst.gpu is not None else ""
    yield remedies.look(scene, "Look which link, and its error counters", f"nvlink -e{which}")
    yield from remedies.move(scene)
    yield remedies.reboot(scene, "or reset all GPUs of the board; if it comes back, have the board replaced")


CHECK = Check(
    id="links.nvlink_error",
    title="an NVLink failed",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((74, 136, 155), advise=_advise),
)
