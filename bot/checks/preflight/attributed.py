"""Which check speaks of which point. Those that say nothing of a node's readiness (engines, budgets) are not asked.

What is critical fails the point. A warning only stands beside it, unless it is one of those that keep work off a node.
"""

from bot.checks.finding import Finding, Severity, State

_POINTS = {
    "driver": "driver",
    "memory": "driver",
    "fabric": "driver",
    "heat": "driver",
    "links": "driver",
    "gpu": "driver",
    "node.condition": "driver",
    "node.agent_silent": "driver",
    "driver.support": "cuda",
    "driver.stepped_back": "cuda",
    "pods.image_driver": "cuda",
    "plugin": "plugin",
    "plugin.unhealthy": "resource",
    "plugin.unregistered": "resource",
    "gpu.oversold": "resource",
    "mig": "resource",
    "pods.rejected": "resource",
    "node.not_ready": "resource",
    "plugin.runtime_handler": "runtime",
    "pods.no_cuda": "runtime",
}
_SILENT = frozenset({"gpu.memory_held", "gpu.context_timeout", "mig.sharing"})  # what programs do, not what a node is
_WARNINGS_THAT_FAIL = frozenset(
    "driver.upgrade driver.stepped_back pods.image_driver pods.no_cuda plugin.doubled plugin.operand".split()
)


def point_of(check: str) -> str:
    """The id of the point that a check speaks of; empty for one that is not asked."""
    if check in _SILENT:
        return ""
    return _POINTS.get(check) or _POINTS.get(check.partition(".")[0], "")


def fails(finding: Finding) -> bool:
    """Whether a node with this finding must not be called ready."""
    if finding.state is not State.FIRING or finding.passes:
        return False
    return finding.severity is Severity.CRITICAL or (
        finding.severity is Severity.WARNING and finding.check in _WARNINGS_THAT_FAIL
    )


def noted(finding: Finding) -> bool:
    """Whether it stands beside the point without failing it."""
    return finding.state is State.FIRING and not fails(finding) and finding.severity is not Severity.INFO
