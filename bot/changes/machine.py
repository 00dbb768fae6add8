"""Where a change may go from where it stands: one table, and a step that reads it. Nothing else decides that.

  proposed ─agreed→ approved ─begun→ applying ─done→ following ─reached→ applied ─taken back→ undoing ─returned→ undone
       │                 │                │                │                                      │
       │ declined        │ lapsed         │ broken         │ broken → failed                      │ broken
       │ lapsed, moved   │ moved          ▼                │ taken back → undoing                 ▼
       ▼                 ▼              failed             ▼                                    failed
    refused, expired, outdated

A change that was refused, lapsed or outdated is final: whoever still wants it asks anew. One that failed half-way
can be taken back like one that was applied.
"""

import enum
from collections.abc import Mapping

from bot.domain.change import ChangeState


class ChangeEvent(enum.StrEnum):
    """What can happen to a change."""

    SECONDED = "seconded"  # one of several approvals is there
    AGREED = "agreed"  # all approvals are there
    DECLINED = "declined"  # an approver said no
    LAPSED = "lapsed"  # its time was over before it began
    MOVED = "moved"  # what was there is no longer what was planned for
    BEGUN = "begun"  # the first step may have been sent
    DONE = "done"  # every step is recorded
    REACHED = "reached"  # the cluster got there
    BROKEN = "broken"  # a step was refused, or the cluster did not get there
    TAKEN_BACK = "taken back"  # undo, by a person or by its time
    KEPT = "kept"  # its undo comes later, or not by the clock
    RETURNED = "returned"  # every step back is recorded


class NotPossibleError(Exception):
    """A change cannot do that from there. Callers ask `can` before they promise anything to people."""


_TABLE: Mapping[ChangeState, Mapping[ChangeEvent, ChangeState]] = {
    ChangeState.PROPOSED: {
        ChangeEvent.SECONDED: ChangeState.PROPOSED,
        ChangeEvent.AGREED: ChangeState.APPROVED,
        ChangeEvent.DECLINED: ChangeState.REFUSED,
        ChangeEvent.LAPSED: ChangeState.EXPIRED,
        ChangeEvent.MOVED: ChangeState.OUTDATED,
    },
    ChangeState.APPROVED: {
        ChangeEvent.BEGUN: ChangeState.APPLYING,
        ChangeEvent.LAPSED: ChangeState.EXPIRED,
        ChangeEvent.MOVED: ChangeState.OUTDATED,
    },
    ChangeState.APPLYING: {
        ChangeEvent.DONE: ChangeState.FOLLOWING,
        ChangeEvent.BROKEN: ChangeState.FAILED,
    },
    ChangeState.FOLLOWING: {
        ChangeEvent.REACHED: ChangeState.APPLIED,
        ChangeEvent.BROKEN: ChangeState.FAILED,
        ChangeEvent.TAKEN_BACK: ChangeState.UNDOING,
    },
    ChangeState.APPLIED: {
        ChangeEvent.TAKEN_BACK: ChangeState.UNDOING,
        ChangeEvent.KEPT: ChangeState.APPLIED,
    },
    ChangeState.UNDOING: {
        ChangeEvent.RETURNED: ChangeState.UNDONE,
        ChangeEvent.BROKEN: ChangeState.FAILED,
    },
    ChangeState.FAILED: {ChangeEvent.TAKEN_BACK: ChangeState.UNDOING},
    ChangeState.REFUSED: {},
    ChangeState.EXPIRED: {},
    ChangeState.OUTDATED: {},
    ChangeState.UNDONE: {},
}
OPEN = frozenset(
    {
        ChangeState.PROPOSED,
        ChangeState.APPROVED,
        ChangeState.APPLYING,
        ChangeState.FOLLOWING,
        ChangeState.UNDOING,
    }
)
"""States from which a change goes on by itself or by a click; APPLIED only waits for its undo."""


def can(state: ChangeState, event: ChangeEvent) -> bool:
    return event in _TABLE[state]


def step(state: ChangeState, event: ChangeEvent) -> ChangeState:
    """Raises NotPossibleError."""
    found = _TABLE[state].get(event)
    if found is None:
        raise NotPossibleError(f"a change that is {state} cannot be {event}")
    return found
