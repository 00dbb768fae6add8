"""views.*: modals and Home tabs."""

from __future__ import annotations

from bot.local.workspace.api.call import Call, Method
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.messages import Json
from bot.local.workspace.validation import check_view


def open_view(call: Call) -> Json:
    view = sound_view(call, "modal")
    user = call.backend.grants.use_trigger(call.required("trigger_id"))
    return {"view": call.backend.modals.open(user, view).payload()}


def push(call: Call) -> Json:
    view = sound_view(call, "modal")
    user = call.backend.grants.use_trigger(call.required("trigger_id"))
    return {"view": call.backend.modals.push(user, view).payload()}


def update(call: Call) -> Json:
    view = sound_view(call, "modal")
    which = call.backend.modals.find(str(call.get("view_id", "")), str(call.get("external_id", "")))
    return {"view": call.backend.modals.update(which, view, call.get("hash")).payload()}


def publish(call: Call) -> Json:
    view, user = sound_view(call, "home"), call.backend.directory.user(call.required("user_id"))
    return {"view": call.backend.modals.publish(user.id, view, call.get("hash")).payload()}


def sound_view(call: Call, kind: str) -> Json:
    """The view argument, checked before the trigger is spent. Raises WorkspaceError `invalid_arguments`."""
    view = call.get("view")
    check_view(view)
    if view["type"] != kind:
        raise WorkspaceError("invalid_arguments", [f"[ERROR] must be a {kind} view [json-pointer:/view/type]"])
    checked: Json = view
    return checked


METHODS: dict[str, Method] = {
    "views.open": open_view,
    "views.push": push,
    "views.update": update,
    "views.publish": publish,
}
