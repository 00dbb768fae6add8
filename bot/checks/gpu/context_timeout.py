"""A program did not give the GPU back in time (Xid 109): a very long kernel, or a GPU that hangs.

The device plugin takes no notice of it, and others replace the node for it: with other programs too it is the GPU.
"""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="gpu.context_timeout",
    title="a program did not give a GPU back in time",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((109,)),
)
