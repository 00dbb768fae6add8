"""A part of the GPU stopped: a controller halted, it timed out, it did not start (Xid 46, 62, 110, 143, 158, 169).

A reset clears it as a rule; 143 at boot asks for a look at power and seating.
"""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="gpu.halted",
    title="a GPU stopped working",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((46, 61, 62, 110, 143, 158, 169)),
)
