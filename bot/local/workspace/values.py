"""Elements and their values: where an action_id stands in blocks, and what Slack says was chosen or typed there."""

from __future__ import annotations

from typing import Any

from bot.local.workspace.messages import Json
from bot.local.workspace.validation.rules import interactive

SELECTED = {
    "users_select": "selected_user",
    "channels_select": "selected_channel",
    "conversations_select": "selected_conversation",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "multi_users_select": "selected_users",
}
ONE_OPTION = frozenset({"static_select", "external_select", "radio_buttons", "overflow"})
MANY_OPTIONS = frozenset({"multi_static_select", "checkboxes"})
INITIAL = {
    "plain_text_input": "initial_value",
    "email_text_input": "initial_value",
    "url_text_input": "initial_value",
    "number_input": "initial_value",
    "users_select": "initial_user",
    "channels_select": "initial_channel",
    "conversations_select": "initial_conversation",
    "datepicker": "initial_date",
    "timepicker": "initial_time",
    "datetimepicker": "initial_date_time",
    "multi_users_select": "initial_users",
}


def find_element(blocks: list[Json], action_id: str, block_id: str | None = None) -> tuple[str, Json]:
    """The block id and the element with this action id; raises LookupError. Feedback buttons count as their parent."""
    for block in blocks:
        for _, element in interactive(block, ""):
            if element.get("action_id") == action_id and block_id in (None, block.get("block_id")):
                return str(block.get("block_id", "")), element
    raise LookupError(f"no element has the action_id {action_id!r}")


def options_of(element: Json) -> list[Json]:
    """All options, those in groups too."""
    groups = element.get("option_groups") or []
    return [*(element.get("options") or []), *(option for group in groups for option in group["options"])]


def state_of(element: Json, value: Any) -> Json:
    """What `state.values[block][action]` holds when this value was entered."""
    kind = element["type"]
    if isinstance(value, dict) and "type" in value:
        return value
    if kind in ONE_OPTION:
        chosen = next((option for option in options_of(element) if option["value"] == value), None)
        return {"type": kind, "selected_option": chosen}
    if kind in MANY_OPTIONS:
        return {
            "type": kind,
            "selected_options": [option for option in options_of(element) if option["value"] in (value or ())],
        }
    if kind in SELECTED:
        return {"type": kind, SELECTED[kind]: value or ([] if kind.startswith("multi") else None)}
    return {"type": kind, "value": value if value not in ("", None) else None}


def initial_of(element: Json) -> Any:
    """The value that an element starts with, in the form that `state_of` takes."""
    kind = element["type"]
    if kind in ONE_OPTION:
        return (element.get("initial_option") or {}).get("value")
    if kind in MANY_OPTIONS:
        return [option["value"] for option in element.get("initial_options") or []]
    return element.get(INITIAL.get(kind, ""))


def action_of(block_id: str, element: Json, value: Any, action_ts: str) -> Json:
    """The entry in `actions` of a block_actions payload."""
    action = {"action_id": element["action_id"], "block_id": block_id, "action_ts": action_ts, "type": element["type"]}
    if element["type"] in ("button", "icon_button"):
        action["text"] = element["text"]
        value = element.get("value") if value is None else value
        return action if value is None else {**action, "value": value}
    if element["type"] == "feedback_buttons":
        sides = [element["positive_button"], element["negative_button"]]
        pressed = next((side for side in sides if side["value"] == value), sides[0])
        return {**action, "value": pressed["value"], "text": pressed["text"]}
    return {**action, **state_of(element, value)}


def form_values(blocks: list[Json], entered: Json) -> Json:
    """`state.values` of a form. `entered` maps block id to a value, to {action id: value}, or to Slack's shape."""
    values: Json = {}
    for block in blocks:
        if block["type"] not in ("input", "section", "actions"):
            continue
        for _, element in interactive(block, ""):
            if element["type"] in ("button", "overflow", "image") or "action_id" not in element:
                continue
            given = entered.get(block["block_id"], initial_of(element))
            if isinstance(given, dict) and element["action_id"] in given:
                given = given[element["action_id"]]
            values.setdefault(block["block_id"], {})[element["action_id"]] = state_of(element, given)
    return values


def is_empty(state: Json) -> bool:
    return all(value in (None, "", []) for name, value in state.items() if name != "type")


def missing(blocks: list[Json], values: Json) -> dict[str, str]:
    """What Slack's own client says before it sends a form: required and empty, too short, too long."""
    errors = {}
    for block in (block for block in blocks if block["type"] == "input"):
        element = block["element"]
        state = values.get(block["block_id"], {}).get(element.get("action_id"), {})
        typed = state.get("value")
        if is_empty(state):
            if not block.get("optional"):
                errors[block["block_id"]] = "Please complete this required field."
        elif isinstance(typed, str) and element["type"] == "plain_text_input":
            shortest, longest = element.get("min_length", 0), element.get("max_length", 3000)
            if not shortest <= len(typed) <= longest:
                errors[block["block_id"]] = f"This must have {shortest} to {longest} characters."
    return errors
