"""A memory error that could not be corrected (Xid 48; 171 says DRAM, 172 SRAM).

The program on it is gone. Reset the GPU, then look whether its SRAM threshold is passed: if so it is replaced.
"""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="memory.double_bit",
    title="a memory error could not be corrected",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((48, 171, 172)),
)
