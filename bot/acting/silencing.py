"""A silence begins: with an end, a reason, and the name of who said so."""

from bot.acting.actor import Actor, Doing
from bot.acting.incidents.allowed import store_of
from bot.acting.incidents.telling import posts
from bot.domain.document import Document
from bot.domain.incident import SetSilence
from bot.incidents import silences
from bot.views import silence


async def act(intent: SetSilence, doing: Doing) -> Document:
    """Raises ForbiddenError, UsageError; UpstreamError where it cannot be kept."""
    store, now = store_of(doing), doing.now()
    book = await store.change(
        doing.cluster.name, lambda book: silences.begin(book, intent, doing.asker, now)[0], now, posts
    )
    return silence.begun(book.silences[max(book.silences)], book, now)


ACTOR = Actor(SetSilence, act)
