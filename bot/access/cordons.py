"""Whose cordon is it? gpubot takes back its own; another's only when a person confirms the node by its name.

A cordon is ours while the last change of ours that cordoned the node stands, and Kubernetes does not say that somebody
else wrote `spec.unschedulable` since (metadata.managedFields).
"""

from collections.abc import Iterable
from datetime import datetime

from bot.access.decision import Decision, refused
from bot.domain.change import Change, ChangeState, Step

MANAGER = "gpubot"
_ALL_MADE = (ChangeState.FOLLOWING, ChangeState.APPLIED, ChangeState.UNDOING, ChangeState.UNDONE)
_STANDS = (ChangeState.APPLYING, ChangeState.FOLLOWING, ChangeState.APPLIED, ChangeState.FAILED, ChangeState.UNDOING)


def may_uncordon(node: str, recorded: Iterable[Change], *, manager: str | None = None, confirmed: str = "") -> Decision:
    """recorded: changes of the cluster, as far back as they are kept. manager: which field manager set
    `spec.unschedulable`; None where the cluster does not say. confirmed: the name that the person typed to confirm.
    """
    ours = cordoned_by(node, recorded)
    if ours is not None and manager in (None, MANAGER):
        return Decision(True, f"gpubot cordoned {node} itself (change {ours.number})")
    if confirmed == node:
        return Decision(True, f"gpubot did not cordon {node}; it was confirmed by name")
    by = f"{manager} did" if manager and manager != MANAGER else "somebody else did"
    return refused(
        f"gpubot did not cordon {node}, {by}: it stays cordoned unless you confirm it by name",
        f"whoever cordoned it, or you: `/gpu node uncordon {node} confirm={node}`",
    )


def cordoned_by(node: str, recorded: Iterable[Change]) -> Change | None:
    """The change of ours that cordoned it, unless a later one of ours uncordoned it."""
    latest: Change | None = None
    for change in sorted(recorded, key=_when):
        if _done(change, node, cordons=False):
            latest = None
        if _done(change, node, cordons=True):
            latest = change if change.state in _STANDS else None
    return latest


def _when(change: Change) -> tuple[datetime, int]:
    return change.applied_at or change.requested_at, change.number


def _done(change: Change, node: str, *, cordons: bool) -> bool:
    """Whether a step of it that was made sets the node so."""
    made = change.plan.steps if change.state in _ALL_MADE else change.plan.steps[: change.done]
    return any(step.target.kind == "Node" and step.target.name == node and _sets(step) is cordons for step in made)


def _sets(step: Step) -> bool | None:
    """What it makes of `spec.unschedulable`; a merge patch with null takes it away. None: it does not touch it."""
    spec = step.body.get("spec")
    if not isinstance(spec, dict) or "unschedulable" not in spec:
        return None
    return bool(spec["unschedulable"])
