"""So many corrected errors that the driver says so (Xid 92): memory that ages. It costs speed, not results."""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="memory.many_corrected",
    title="a GPU corrects many memory errors",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((92,)),
)
