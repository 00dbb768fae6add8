"""users.*: the people of the workspace."""

from __future__ import annotations

from bot.local.workspace.api.call import Call, Method
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.messages import Json
from bot.local.workspace.setup import BOT_USER_ID, TEAM_ID, User


def info(call: Call) -> Json:
    return {"user": described(call.backend.directory.user(call.required("user")))}


def list_users(call: Call) -> Json:
    members = [described(user) for user in call.backend.directory.users.values()]
    return {"members": members, "response_metadata": {"next_cursor": ""}}


def lookup_by_email(call: Call) -> Json:
    email = call.required("email").lower()
    for user in call.backend.directory.people:
        if user.email.lower() == email:
            return {"user": described(user)}
    raise WorkspaceError("users_not_found")


def described(user: User) -> Json:
    profile = {"real_name": user.real_name, "display_name": user.name, "email": user.email}
    return {
        "id": user.id,
        "team_id": TEAM_ID,
        "name": user.name,
        "real_name": user.real_name,
        "deleted": False,
        "is_admin": user.is_admin,
        "is_owner": False,
        "is_bot": user.id == BOT_USER_ID,
        "tz": "Etc/UTC",
        "profile": {name: value for name, value in profile.items() if value},
    }


METHODS: dict[str, Method] = {
    "users.info": info,
    "users.list": list_users,
    "users.lookupByEmail": lookup_by_email,
}
