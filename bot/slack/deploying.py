"""What people do with the form of `/deploy`: each change is planned and shown in it, sending it asks for the change."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack import deploy_form
from bot.slack.deploy_form import DeployForms
from bot.slack.desk import Desk
from bot.slack.payload import in_form, interaction
from bot.views.blocks import render

Body = dict[str, Any]
_LIVE = re.compile(rf"^{deploy_form.CHANGED}-")
_OVERTAKEN = frozenset({"hash_conflict", "not_found", "view_not_found"})  # changed or closed since: nothing is lost


def hang(app: AsyncApp, desk: Desk, first: Callable[[str], Awaitable[bool]]) -> DeployForms:
    """Hangs its listeners on the app."""
    forms = DeployForms()

    @app.action(_LIVE)
    async def changed(ack: AsyncAck, body: Body, client: AsyncWebClient) -> None:
        await ack()
        view = body["view"]
        opened, line = forms.caller(view, body["user"]["id"]), deploy_form.line(view, dry=True)
        if opened is None or not line or not await first(interaction(body)):
            return
        outcome = await desk.ask(line, in_form(body, opened.channel))
        try:
            await client.views_update(view_id=view["id"], hash=view["hash"], view=forms.shown(view, outcome.document))
        except SlackApiError as error:
            if error.response["error"] not in _OVERTAKEN:
                raise

    @app.view(deploy_form.FORM)
    async def sent(ack: AsyncAck, body: Body, client: AsyncWebClient) -> None:
        await ack()
        view = body["view"]
        opened, line = forms.caller(view, body["user"]["id"]), deploy_form.line(view, dry=False)
        if opened is None or not line or not await first(interaction(body)):
            return
        forms.close(view)
        caller = in_form(body, opened.channel)
        message = render(await desk.ask_privately(line, caller))
        await client.chat_postEphemeral(
            channel=caller.channel, user=caller.person, text=message.text, blocks=message.blocks, unfurl_links=False
        )

    return forms
