"""What Slack can tell us, and what we do then: each listener is ack, ask, show.

The ack goes out first, always: Slack waits three seconds, and nothing that a person sees may depend on how long an
answer takes.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncRespond, AsyncSay
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.document import Code, Document, Person, line, paragraph
from bot.slack import deploying, reason
from bot.slack.desk import SHARE, Desk
from bot.slack.failures import explain
from bot.slack.payload import interaction
from bot.slack.people import Caller
from bot.slack.turns import Turns
from bot.views import plan
from bot.views.blocks import Message, render

log = structlog.get_logger()
Body = dict[str, Any]
_MENTION = re.compile(r"<@[UW][A-Z0-9]+(?:\|[^>]*)?>")
_ASKED = re.compile(r"^ask(-\d+)?$")  # Slack wants the ids of a message's buttons to differ
_CHANGED = re.compile(rf"^{plan.ACTION}(-\d+)?$")
_QUIET: dict[str, Any] = {"unfurl_links": False, "unfurl_media": False}


def register(app: AsyncApp, desk: Desk, first: Callable[[str], Awaitable[bool]], slashes: Mapping[str, str]) -> None:
    """Hangs all listeners on the app. `slashes`: each slash command and the words that it stands for.

    first: whether a key is seen for the first time; everything else is a repeat.
    """
    turns, reasons = Turns(), reason.Reasons()
    forms = deploying.hang(app, desk, first)

    async def slash(ack: AsyncAck, respond: AsyncRespond, body: Body, client: AsyncWebClient) -> None:
        await ack()
        turns.acked()
        if not await first(interaction(body)):
            return
        line = f"{slashes[body['command']]} {body.get('text', '')}"
        caller = Caller(body["user_id"], body["channel_id"], body.get("team_id", ""))
        if forms.wanted(line):
            await client.views_open(trigger_id=body["trigger_id"], view=forms.form(caller))
            return
        async with turns.answering():
            message = render(await desk.ask_privately(line, caller))
        await _respond(respond, message, response_type="ephemeral")

    for command in slashes:
        app.command(command)(slash)

    @app.event("app_mention")
    async def mention(event: Body, say: AsyncSay) -> None:
        if event.get("bot_id") or not await first(_key(event)):
            return
        text = _MENTION.sub(" ", event.get("text", ""), count=1)
        outcome = await desk.ask(text, _writer(event))
        await _say(say, outcome.document, event.get("thread_ts") or event["ts"])

    @app.event("message")
    async def direct(event: Body, say: AsyncSay) -> None:
        if event.get("channel_type") != "im" or event.get("subtype") or event.get("bot_id"):
            return
        if await first(_key(event)):
            outcome = await desk.ask(event.get("text", ""), _writer(event))
            await _say(say, outcome.document, event.get("thread_ts"))

    @app.event("app_home_opened")
    async def home(event: Body) -> None:
        log.debug("somebody opened the home tab", person=event.get("user"))  # acked, so that Slack does not repeat it

    @app.action(_ASKED)
    async def ask(ack: AsyncAck, respond: AsyncRespond, body: Body, client: AsyncWebClient) -> None:
        """A button that asks on: the same as typing its line. Where its reason is missing, a form asks for that."""
        await ack()
        if not await first(interaction(body)):
            return
        line, caller = body["actions"][0].get("value", ""), _clicker(body)
        if reasons.wanted(line):
            await client.views_open(trigger_id=body["trigger_id"], view=reasons.form(line, caller))
            return
        document = await desk.ask_privately(line, caller)
        await _respond(respond, render(document), response_type="ephemeral", replace_original=False)

    @app.view(reason.FORM)
    async def because(ack: AsyncAck, client: AsyncWebClient, body: Body) -> None:
        """The form came back: the same as typing the line with that reason."""
        await ack()
        if not await first(interaction(body)):
            return
        person, team = body["user"]["id"], body["user"].get("team_id") or (body.get("team") or {}).get("id") or ""
        taken = reasons.take(body["view"], person)
        if taken is None:
            return
        line, channel = taken
        message = render(await desk.ask_privately(line, Caller(person, channel, team)))
        await client.chat_postEphemeral(
            channel=channel, user=person, text=message.text, blocks=message.blocks, unfurl_links=False
        )

    @app.action(_CHANGED)
    async def change(ack: AsyncAck, respond: AsyncRespond, body: Body) -> None:
        """A yes, a no or an undo: the change itself is shown by its own message, which is edited."""
        await ack()
        if not await first(interaction(body)):
            return
        document = await desk.click(body["actions"][0].get("value", ""), _clicker(body))
        await _respond(respond, render(document), response_type="ephemeral", replace_original=False)

    @app.action(SHARE)
    async def share(ack: AsyncAck, respond: AsyncRespond, body: Body) -> None:
        await ack()
        if not await first(interaction(body)):
            return
        shown = await desk.to_share(body["actions"][0].get("value", ""), _clicker(body))
        if shown is None:
            await _respond(respond, render(Document(("This answer was shared already.",))), replace_original=False)
            return
        public = Document(
            shown.document.verdict,
            (*shown.document.parts, paragraph(line(Person(body["user"]["id"]), " asked ", Code(f"/{shown.line}")))),
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


def _writer(event: Body) -> Caller:
    return Caller(event["user"], event["channel"], event.get("user_team") or event.get("team") or "")


def _clicker(body: Body) -> Caller:
    """Somebody in a channel, or in a message that is shown elsewhere."""
    channel = (body.get("channel") or {}).get("id") or (body.get("container") or {}).get("channel_id") or ""
    return Caller(body["user"]["id"], channel, body["user"].get("team_id") or (body.get("team") or {}).get("id") or "")


def _key(event: Body) -> str:
    """The message itself, not the delivery: a mention can come as two kinds of event."""
    return f"{event.get('channel', '')}:{event.get('ts') or event.get('event_ts', '')}"
