"""usergroups.*: which groups there are, and who is in them."""

from __future__ import annotations

from bot.local.workspace.api.call import Call, Method
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.messages import Json
from bot.local.workspace.setup import TEAM_ID, UserGroup


def list_groups(call: Call) -> Json:
    """Members only with `include_users`, their number only with `include_count`."""
    return {"usergroups": [described(call, group) for group in call.backend.setup.groups]}


def list_users(call: Call) -> Json:
    """Raises WorkspaceError `no_such_subteam`."""
    which = call.required("usergroup")
    found = next((group for group in call.backend.setup.groups if group.id == which), None)
    if found is None:
        raise WorkspaceError("no_such_subteam")
    return {"users": list(found.users)}


def described(call: Call, group: UserGroup) -> Json:
    names: Json = {"name": group.name, "handle": group.handle}
    fields: Json = {"id": group.id, "team_id": TEAM_ID, "is_usergroup": True, **names}
    if call.flag("include_users"):
        fields["users"] = list(group.users)
    if call.flag("include_count"):
        fields["user_count"] = len(group.users)
    return fields


METHODS: dict[str, Method] = {"usergroups.list": list_groups, "usergroups.users.list": list_users}
