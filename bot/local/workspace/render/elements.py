"""Interactive elements: buttons, menus, pickers, fields. Their data attributes are what the page's scripts read."""

from __future__ import annotations

import json
from typing import Any

from bot.local.workspace.render.control import URL
from bot.local.workspace.render.html import Attribute, escape, tag
from bot.local.workspace.render.mrkdwn import plain_text
from bot.local.workspace.render.options import boxes, select
from bot.local.workspace.render.scope import Scope
from bot.local.workspace.values import INITIAL, MANY_OPTIONS

Json = dict[str, Any]
INPUT_TYPES = {
    "email_text_input": "email",
    "url_text_input": "url",
    "number_input": "number",
    "datepicker": "date",
    "timepicker": "time",
    "datetimepicker": "datetime-local",
    "plain_text_input": "text",
}
SELECTS = frozenset({"static_select", "external_select", "users_select", "channels_select", "conversations_select"})
BOXES = MANY_OPTIONS | {"radio_buttons", "multi_users_select"}


def element(each: Json, block_id: str, scope: Scope) -> str:
    """HTML of one element; an unknown one is named."""
    kind = each.get("type", "")
    if kind in ("button", "icon_button", "workflow_button"):
        return button(each, block_id)
    if kind == "overflow":
        return overflow(each, block_id)
    if kind == "feedback_buttons":
        return feedback(each, block_id)
    if kind == "image":
        return image(each)
    if kind in SELECTS or kind in BOXES or kind in INPUT_TYPES:
        return wrapped(each, block_id, control(each, block_id, scope))
    return tag("span", escape(f"[{kind}]"), class_="unknown")


def wrapped(each: Json, block_id: str, inner: str) -> str:
    """A menu or field outside a form acts as soon as it changes."""
    return tag("span", inner, class_="control", data_act="change", **marks(each, block_id))


def marks(each: Json, block_id: str) -> dict[str, Attribute]:
    """What identifies an element to the page's scripts."""
    return {
        "data_block": block_id,
        "data_action": each.get("action_id", ""),
        "data_type": each["type"],
        "data_confirm": json.dumps(each["confirm"]) if each.get("confirm") else None,
    }


def button(each: Json, block_id: str) -> str:
    style = each.get("style") or "default"
    shared: dict[str, Attribute] = {
        "class_": f"button {style}",
        "data_act": "press",
        "data_value": each.get("value"),
        "aria_label": each.get("accessibility_label"),
        **marks(each, block_id),
    }
    label = plain_text(each["text"]["text"])
    url = str(each.get("url") or "")
    if URL.fullmatch(url):
        return tag("a", label, href=url, target="_blank", rel="noopener noreferrer", **shared)
    return tag("button", label, type="button", **shared)


def feedback(each: Json, block_id: str) -> str:
    sides = (each["positive_button"], each["negative_button"])
    return "".join(
        button({**side, "type": each["type"], "action_id": each.get("action_id")}, block_id) for side in sides
    )


def overflow(each: Json, block_id: str) -> str:
    items = "".join(
        tag(
            "button",
            plain_text(option["text"]["text"]),
            type="button",
            role="menuitem",
            data_act="press",
            data_value=option["value"],
            **marks(each, block_id),
        )
        for option in each["options"]
    )
    summary = tag("summary", "⋯", aria_label="More actions", class_="button default")
    return tag("details", summary + tag("div", items, role="menu", class_="menu"), class_="overflow")


def image(each: Json) -> str:
    """Nothing is fetched: the alternative text stands for the picture."""
    alt = each.get("alt_text", "")
    return tag("span", escape(f"🖼 {alt}"), class_="image-alt", role="img", aria_label=alt)


def control(each: Json, block_id: str, scope: Scope) -> str:
    """The bare control, inside or outside a form."""
    kind, action_id = each["type"], each.get("action_id", "")
    shared: dict[str, Attribute] = {
        "id": scope.id_for(block_id, action_id),
        "autofocus": bool(each.get("focus_on_load")),
    }
    if block_id in scope.errors:
        shared |= {"aria_invalid": "true"}
    if kind in SELECTS:
        hint = (each.get("placeholder") or {}).get("text") or "Choose"
        return select(each, scope, aria_label=None if scope.prefix.startswith("V") else hint, id=str(shared["id"]))
    if kind in BOXES:
        return boxes(each, scope, block_id)
    return field(each, shared)


def field(each: Json, shared: dict[str, Attribute]) -> str:
    """A text field or picker."""
    initial = each.get(INITIAL.get(each["type"], ""))
    shared |= {"placeholder": (each.get("placeholder") or {}).get("text")}
    if each["type"] == "plain_text_input":
        shared |= {"maxlength": each.get("max_length", 3000)}
    if each.get("multiline"):
        return tag("textarea", escape(initial or ""), rows=4, **shared)
    step = "any" if each.get("is_decimal_allowed") else None
    return tag("input", type=INPUT_TYPES[each["type"]], value=initial, step=step, autocomplete="off", **shared)
