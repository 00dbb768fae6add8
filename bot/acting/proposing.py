"""Whoever asked for a change with a command: the beginning of its way."""

from bot.acting.actor import Actor, Doing
from bot.domain.change import Propose
from bot.domain.document import Document
from bot.domain.errors import UserError


async def act(intent: Propose, doing: Doing) -> Document:
    """Raises UserError, UpstreamError."""
    if doing.changing is None:
        raise UserError("Nothing can be changed from here: this gpubot has no record of changes.")
    return await doing.changing.propose(intent.plan, doing.asker, doing.cluster.name)


ACTOR = Actor(Propose, act)
