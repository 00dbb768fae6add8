"""One move of a change, by the state table: nothing else changes a change's state.

What people see of it is recorded in the same transaction, so that a button always has the nonce of its change.
"""

from typing import Any

from bot.acting.changing.ground import Ground
from bot.acting.changing.telling import root
from bot.changes.machine import ChangeEvent, step
from bot.domain.change import Change

CLOCK = "gpubot"  # who acts where no person does


async def move(
    ground: Ground, change: Change, event: ChangeEvent, *, actor: str = CLOCK, told: str = "", **fields: Any
) -> Change:
    """Raises ConflictError where somebody else moved it first."""
    to = step(change.state, event)
    return await ground.store.move(
        change.number, change.state, to, now=ground.now(), actor=actor, told=told, posts=root, **fields
    )
