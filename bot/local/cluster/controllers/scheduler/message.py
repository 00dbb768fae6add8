"""What kube-scheduler 1.36 writes into the PodScheduled condition.

Source: kubernetes/kubernetes:pkg/scheduler/framework/types.go (FitError) and pkg/scheduler/schedule_one.go.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from bot.local.cluster.controllers.scheduler.filters import Rejection

NO_NODES = "no nodes available to schedule pods"
EVENT_BYTES = 1024  # pkg/apis/core/validation/events.go


def histogram(nodes: int, reasons: Iterable[str]) -> str:
    """Counts sorted as text: `10 x` comes before `2 y`, the order says nothing of importance."""
    counted = sorted(f"{count} {reason}" for reason, count in Counter(reasons).items())
    return f"0/{nodes} nodes are available: {', '.join(counted)}."


def fit_error(rejections: Mapping[str, Rejection], *, claims: bool, preemption: str | None) -> str:
    """The whole message. `preemption` is what was found when evictions were tried, None if they will help."""
    if not rejections:
        return NO_NODES
    body = histogram(len(rejections), (reason for r in rejections.values() for reason in r.reasons))
    if preemption is None:
        return body
    claim_text = "still not schedulable" if claims else "no new claims to deallocate"
    return f"{body} {claim_text}, preemption: {preemption}"


def event_text(message: str) -> str:
    """Events are cut where the API would reject them; the condition is not."""
    encoded = message.encode()
    if len(encoded) <= EVENT_BYTES:
        return message
    return encoded[: EVENT_BYTES - 4].decode(errors="ignore") + " ..."
