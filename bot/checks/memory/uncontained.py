"""A memory error that may have touched every program on the GPU (Xid 95): what they computed since is suspect."""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="memory.uncontained",
    title="a memory error may have touched every program on a GPU",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((95,)),
)
