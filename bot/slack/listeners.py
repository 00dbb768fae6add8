"""What Slack can tell us, and what we do then: each listener is ack, ask, show.

The ack goes out first, always: Slack waits three seconds, and nothing that a person sees may depend on how long an
answer takes.
"""

import re
from collections.abc import Mapping
from typing import Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncRespond, AsyncSay

from bot.domain.document import Code, Document, Person, line, paragraph
from bot.slack.desk import SHARE, Desk
from bot.slack.failures import explain
from bot.slack.redelivery import Redelivery
from bot.slack.turns import Turns
from bot.views.blocks import Message, render

log = structlog.get_logger()
Body = dict[str, Any]
_MENTION = re.compile(r"<@[UW][A-Z0-9]+(?:\|[^>]*)?>")
_ASKED = re.compile(r"^ask(-\d+)?$")
_QUIET: dict[str, Any] = {"unfurl_links": False, "unfurl_media": False}


def register(app: AsyncApp, desk: Desk, redelivery: Redelivery, slashes: Mapping[str, str]) -> None:
    """Hangs all listeners on the app. `slashes`: each slash command and the words that it stands for."""
    turns = Turns()

    async def slash(ack: AsyncAck, respond: AsyncRespond, body: Body) -> None:
        await ack()
        turns.acked()
        async with turns.answering():
            line = f"{slashes[body['command']]} {body.get('text', '')}"
            message = render(await desk.ask_privately(line, body["channel_id"], body["user_id"]))
        await _respond(respond, message, response_type="ephemeral")

    for command in slashes:
        app.command(command)(slash)

    @app.event("app_mention")
    async def mention(event: Body, say: AsyncSay) -> None:
        if not redelivery.is_first(_key(event)) or event.get("bot_id"):
            return
        text = _MENTION.sub(" ", event.get("text", ""), count=1)
        outcome = await desk.ask(text, event["channel"], event["user"])
        await _say(say, outcome.document, event.get("thread_ts") or event["ts"])

    @app.event("message")
    async def direct(event: Body, say: AsyncSay) -> None:
        if event.get("channel_type") != "im" or event.get("subtype") or event.get("bot_id"):
            return
        if redelivery.is_first(_key(event)):
            outcome = await desk.ask(event.get("text", ""), event["channel"], event["user"])
            await _say(say, outcome.document, event.get("thread_ts"))

    @app.event("app_home_opened")
    async def home(event: Body) -> None:
        log.debug("somebody opened the home tab", person=event.get("user"))  # acked, so that Slack does not repeat it

    @app.action(_ASKED)
    async def ask(ack: AsyncAck, respond: AsyncRespond, body: Body) -> None:
        """A button that asks on: the same as typing its line."""
        await ack()
        person, channel = body["user"]["id"], body["channel"]["id"]
        document = await desk.ask_privately(body["actions"][0].get("value", ""), channel, person)
        await _respond(respond, render(document), response_type="ephemeral", replace_original=False)

    @app.action(SHARE)
    async def share(ack: AsyncAck, respond: AsyncRespond, body: Body) -> None:
        await ack()
        person, channel = body["user"]["id"], body["channel"]["id"]
        shown = await desk.to_share(body["actions"][0].get("value", ""), channel, person)
        if shown is None:
            await _respond(respond, render(Document(("This answer was shared already.",))), replace_original=False)
            return
        public = Document(
            shown.document.verdict,
            (*shown.document.parts, paragraph(line(Person(person), " asked ", Code(f"/{shown.line}")))),
            shown.document.footer,
        )
        await _respond(respond, render(public), response_type="in_channel", replace_original=False)
        private = Document(
            shown.document.verdict, shown.document.parts, (*shown.document.footer, "shared with the channel")
        )
        await _respond(respond, render(private), replace_original=True)

    @app.error
    async def failed(error: Exception, body: Body, respond: AsyncRespond) -> None:
        document = explain(error, envelope=str(body.get("type") or body.get("command") or "event"))
        if respond.response_url:
            await _respond(respond, render(document), replace_original=False)


async def _respond(respond: AsyncRespond, message: Message, **how: Any) -> None:
    await respond(text=message.text, blocks=message.blocks, **_QUIET, **how)


async def _say(say: AsyncSay, document: Document, thread_ts: str | None) -> None:
    message = render(document)
    await say(text=message.text, blocks=message.blocks, thread_ts=thread_ts, mrkdwn=False, **_QUIET)


def _key(event: Body) -> str:
    """The message itself, not the delivery: a mention can come as two kinds of event."""
    return f"{event.get('channel', '')}:{event.get('ts') or event.get('event_ts', '')}"
