"""An NVLink unit of Blackwell reported an event (Xid 144 to 150). Its own word counts: Nonfatal is only counted."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity
from bot.checks.scene import Scene
from bot.checks.xid_events import Burst
from bot.domain.answer import Remedy


def _advise(scene: Scene, burst: Burst) -> Iterator[Remedy]:
    """The driver's own verdict comes with it, as Xid 154 and as the recovery action."""
    which = f" -i {burst.gpu.index}" if burst.gpu is not None else ""
    yield remedies.look(scene, "Read the driver's own verdict (GPU Recovery Action)", f"-q{which}")
    yield remedies.look(
        scene, "Look at the links; the same link again and again is a cable or a switch", f"nvlink -s{which}"
    )


CHECK = Check(
    id="links.nvlink5_event",
    title="an NVLink unit reported an event",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids(range(144, 151), advise=_advise),
)
