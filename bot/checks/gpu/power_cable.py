"""A cable of the board's own power is loose or missing (Xid 54). Only hands help."""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="gpu.power_cable",
    title="a GPU lacks power from its cable",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((54,)),
)
