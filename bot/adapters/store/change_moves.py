"""What each call of the change store makes of a change, and the audit row that tells it: pure, so that it holds alike
for every database and for tests without one.
"""

from datetime import datetime
from typing import Any

import msgspec

from bot.domain.audit import AuditEvent, Happened
from bot.domain.change import Change, ChangeState, Plan
from bot.domain.errors import ConflictError
from bot.domain.person import Asker
from bot.domain.words import count

FINAL = frozenset({ChangeState.REFUSED, ChangeState.EXPIRED, ChangeState.OUTDATED, ChangeState.UNDONE})
_FIXED = frozenset({"number", "cluster", "plan", "state", "requester", "workspace", "requested_at", "nonce", "told"})


def proposed(
    number: int, nonce: str, plan: Plan, asker: Asker, needed: int, expires_at: datetime, cluster: str, now: datetime
) -> Change:
    return Change(
        number=number,
        cluster=cluster,
        plan=plan,
        state=ChangeState.PROPOSED,
        requester=asker.id,
        workspace=asker.workspace,
        channel=asker.channel,
        requested_at=now,
        expires_at=expires_at,
        needed=needed,
        nonce=nonce,
    )


def moved(
    change: Change, expected: ChangeState, to: ChangeState, clicked: str, fresh: str, told: str, fields: dict[str, Any]
) -> Change:
    """Raises ConflictError where it is not in that state, or the button is no longer its own."""
    wrong = fields.keys() & _FIXED or fields.keys() - set(Change.__struct_fields__)
    if wrong:
        raise TypeError(f"a move cannot set {', '.join(sorted(wrong))}")
    if "approvals" in fields and not clicked:
        raise TypeError("approvals are given by a click: its nonce is missing")
    if change.state is not expected:
        raise ConflictError(f"Change {change.number} is {change.state} by now: nothing was done.")
    if clicked and clicked != change.nonce:
        raise ConflictError(f"That button of change {change.number} was used already: nothing was done.")
    nonce = "" if to in FINAL else fresh
    return msgspec.structs.replace(change, state=to, told=told or change.told, nonce=nonce, **fields)


def stepped(change: Change, index: int, audit_id: str) -> Change | None:
    """None where that step is recorded already. Raises ConflictError where one before it is not."""
    if index < change.done:
        return None
    if index > change.done:
        raise ConflictError(f"Step {index} of change {change.number} cannot be done: step {change.done} is not.")
    ids = (*change.audit_ids, audit_id) if audit_id else change.audit_ids
    return msgspec.structs.replace(change, done=index + 1, audit_ids=ids)


def proposal_event(change: Change, now: datetime, message: str) -> AuditEvent:
    plan = change.plan
    facts = {
        "kind": plan.kind,
        "arguments": plan.arguments,
        "because": plan.because,
        "digest": plan.digest,
        "needed": change.needed,
        "expires_at": change.expires_at,
        "steps": [{"verb": step.verb, "target": step.target, "after": step.after} for step in plan.steps],
    }
    return _event(change, Happened.PROPOSED, now, change.requester, plan.title, message, facts, change.workspace)


def move_event(before: Change, after: Change, now: datetime, actor: str, workspace: str, message: str) -> AuditEvent:
    given = after.approvals[len(before.approvals) :]
    what = Happened.APPROVED if any(one.yes for one in given) else Happened.MOVED
    facts: dict[str, Any] = {"from": before.state, "to": after.state}
    if given:
        facts |= {"approvals": [one.person for one in after.approvals if one.yes], "needed": after.needed}
    told = after.told if after.told != before.told else f"{before.state} → {after.state}"
    return _event(after, what, now, actor, told, message, facts, workspace)


def step_event(change: Change, index: int, audit_id: str, now: datetime) -> AuditEvent:
    undoing = change.state is ChangeState.UNDOING
    steps = change.plan.undo if undoing else change.plan.steps
    step = steps[index] if index < len(steps) else None
    said = f"{step.verb} {step.target}" if step else "cleaned up"
    facts = {"step": index, "of": count(len(steps), "step"), "undo": undoing}
    event = _event(change, Happened.STEP, now, "", said, "", facts)
    return msgspec.structs.replace(event, audit_id=audit_id)


def _event(
    change: Change,
    what: Happened,
    now: datetime,
    person: str,
    says: str,
    message: str,
    facts: dict[str, Any],
    workspace: str = "",
) -> AuditEvent:
    return AuditEvent(
        what=what,
        at=now,
        cluster=change.cluster,
        person=person,
        workspace=workspace,
        channel=change.channel,
        message=message,
        change=change.number,
        says=says,
        facts=msgspec.to_builtins(facts),
    )
