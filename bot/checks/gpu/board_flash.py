"""The board's flash was written too often, or could not be read (Xid 93, 122 to 125). Not fatal, worth knowing."""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="gpu.board_flash",
    title="the flash of a board wears out",
    severity=Severity.INFO,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((93, *range(122, 126))),
)
