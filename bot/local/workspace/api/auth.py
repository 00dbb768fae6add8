"""auth.test, api.test and apps.connections.open."""

from __future__ import annotations

from bot.local.workspace.api.call import Call, Method
from bot.local.workspace.messages import Json
from bot.local.workspace.setup import APP_ID, BOT_ID, BOT_USER_ID, TEAM_ID

APP_TOKEN_METHODS = frozenset({"apps.connections.open"})


def test(call: Call) -> Json:
    setup = call.backend.setup
    return {
        "url": f"{call.backend.base_url}/",
        "team": setup.team_name,
        "user": setup.bot_name,
        "team_id": TEAM_ID,
        "user_id": BOT_USER_ID,
        "bot_id": BOT_ID,
        "is_enterprise_install": False,
    }


def api_test(call: Call) -> Json:
    return {"args": call.arguments}


def open_connection(call: Call) -> Json:
    """A WebSocket address for one connection."""
    base = call.backend.base_url.replace("http://", "ws://", 1)
    return {"url": f"{base}/link/?ticket={call.backend.sockets.ticket()}&app_id={APP_ID}"}


METHODS: dict[str, Method] = {
    "auth.test": test,
    "api.test": api_test,
    "apps.connections.open": open_connection,
}
