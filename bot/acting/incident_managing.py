"""What a person does with an incident. Who may is asked here again: a command decides what is shown only."""

from bot.acting.actor import Actor, Doing
from bot.acting.incidents.allowed import store_of
from bot.acting.incidents.telling import posts
from bot.domain.document import Document
from bot.domain.incident import ManageIncident
from bot.incidents import deeds
from bot.views import incident_show


async def act(intent: ManageIncident, doing: Doing) -> Document:
    """Raises ForbiddenError, NotFoundError, ConflictError, UsageError; UpstreamError where it cannot be kept."""
    store, now = store_of(doing), doing.now()
    book = await store.change(doing.cluster.name, lambda book: deeds.do(book, intent, doing.asker, now), now, posts)
    return incident_show.done(book.incidents[intent.number], now)


ACTOR = Actor(ManageIncident, act)
