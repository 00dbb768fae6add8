"""What Slack sends to an app when a person does something: https://docs.slack.dev/reference/interaction-payloads ."""

from __future__ import annotations

from bot.local.workspace.directory import Room
from bot.local.workspace.events import message_fields
from bot.local.workspace.messages import Json, Post
from bot.local.workspace.modals import View
from bot.local.workspace.setup import APP_ID, TEAM_ID, User

TEAM: Json = {"id": TEAM_ID, "domain": "local"}


def who(user: User) -> Json:
    return {"id": user.id, "username": user.name, "name": user.name, "team_id": TEAM_ID}


def place(room: Room) -> Json:
    name = "directmessage" if room.is_dm else "privategroup" if room.is_private else room.name
    return {"id": room.id, "name": name}


def slash_command(user: User, room: Room, command: str, text: str, grants: Json) -> Json:
    """`grants` are trigger_id and response_url."""
    return {
        "team_id": TEAM_ID,
        "team_domain": "local",
        "channel_id": room.id,
        "channel_name": place(room)["name"],
        "user_id": user.id,
        "user_name": user.name,
        "command": command,
        "text": text,
        "api_app_id": APP_ID,
        "is_enterprise_install": "false",
        **grants,
    }


def interaction(kind: str, user: User, **rest: object) -> Json:
    return {"type": kind, "user": who(user), "team": TEAM, "api_app_id": APP_ID, "enterprise": None, **rest}


def message_action(user: User, room: Room, post: Post, action: Json, grants: Json) -> Json:
    """A click in a message. Of an ephemeral message the app gets the place only, not the body."""
    ephemeral = post.ephemeral_to is not None
    container = {"type": "message", "message_ts": post.ts, "channel_id": room.id, "is_ephemeral": ephemeral}
    if post.thread_ts:
        container["thread_ts"] = post.thread_ts
    payload = interaction("block_actions", user, container=container, channel=place(room), actions=[action], **grants)
    payload["state"] = {"values": {}}
    if not ephemeral:
        payload["message"] = {"type": "message", **message_fields(post)}
    return payload


def view_action(user: User, view: View, action: Json, values: Json, trigger_id: str) -> Json:
    container = {"type": "view", "view_id": view.id}
    return interaction(
        "block_actions", user, container=container, view=view.payload(values), actions=[action], trigger_id=trigger_id
    )


def view_submission(user: User, view: View, values: Json, trigger_id: str) -> Json:
    return interaction("view_submission", user, view=view.payload(values), trigger_id=trigger_id, response_urls=[])


def view_closed(user: User, view: View) -> Json:
    return interaction("view_closed", user, view=view.payload(), is_cleared=bool(view.given.get("clear_on_close")))
