"""A silence ends before its time: what it silenced is told with the next look, if it still fires."""

from bot.acting.actor import Actor, Doing
from bot.acting.incidents.allowed import store_of
from bot.acting.incidents.telling import posts
from bot.domain.document import Document
from bot.domain.incident import EndSilence
from bot.incidents import silences
from bot.views import silence


async def act(intent: EndSilence, doing: Doing) -> Document:
    """Raises ForbiddenError, NotFoundError, ConflictError; UpstreamError where it cannot be kept."""
    store, now = store_of(doing), doing.now()
    book = await store.change(doing.cluster.name, lambda book: silences.end(book, intent, now)[0], now, posts)
    return silence.ended(book.silences[intent.number], now)


ACTOR = Actor(EndSilence, act)
