"""One look at the whole cluster for whoever asks: shown, with nothing decided by it."""

from bot.acting.actor import Actor, Doing
from bot.domain.document import Document
from bot.domain.errors import UserError
from bot.domain.incident import SweepNow
from bot.views import sweep


async def act(intent: SweepNow, doing: Doing) -> Document:
    """Raises UserError where nothing can be looked at from here."""
    if doing.sweeper is None:
        raise UserError("Nothing is watched from here; in a terminal, `gpubot sweep` looks once.")
    looked = await doing.sweeper.look(doing.cluster)
    return sweep.show(looked.swept, looked.view, doing.now()).document


ACTOR = Actor(SweepNow, act)
