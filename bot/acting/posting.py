"""A document as a post, for everybody who says something in Slack."""

from bot.domain.document import Document
from bot.domain.posting import Post
from bot.views import blocks


def as_post(key: str, channel: str, document: Document, *, thread: str = "", urgent: bool = False) -> Post:
    message = blocks.render(document)
    return Post(key=key, channel=channel, text=message.text, blocks=message.blocks, thread=thread, urgent=urgent)
