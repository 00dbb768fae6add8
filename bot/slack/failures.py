"""What people see when something went wrong: one sentence, and for our own faults an id that stands in the log."""

import uuid

import structlog

from bot.domain.document import Document, sentence
from bot.domain.errors import BotError, UpstreamError, UserError

log = structlog.get_logger()


def explain(error: Exception, **about: str) -> Document:
    """Logs the error with `about` (line, channel, user) and says it in one sentence."""
    if isinstance(error, UserError):
        log.info("not answered", reason=str(error), **about)
        return Document(sentence(str(error)))
    name = uuid.uuid4().hex[:8]
    if isinstance(error, UpstreamError):
        log.warning("a source failed", id=name, reason=str(error), cause=repr(error.__cause__), **about)
        again = " Ask again in a moment." if error.retryable else ""
        return Document(sentence(f"{error}{again} (id {name})"))
    if isinstance(error, BotError):
        log.warning("cannot answer", id=name, reason=str(error), **about)
        return Document(sentence(f"{error} (id {name})"))
    log.error("a fault of gpubot", id=name, exc_info=error, **about)
    return Document((f"Something broke on my side (id {name}). The log of gpubot has the details under that id.",))
