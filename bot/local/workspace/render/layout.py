"""Layout blocks: header, section, divider, context, actions, image, input, alert, container, context_actions."""

from __future__ import annotations

from typing import Any

from bot.local.workspace.render.elements import control, element, image, marks
from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.render.mrkdwn import plain_text
from bot.local.workspace.render.options import words
from bot.local.workspace.render.rich_text import rich_text
from bot.local.workspace.render.scope import Scope

Json = dict[str, Any]
ALERT_ICONS = {"info": "ℹ", "warning": "⚠", "error": "✕", "success": "✓", "default": "•"}


def header(block: Json, scope: Scope) -> str:
    return tag("h3", plain_text(block["text"]["text"]))


def divider(block: Json, scope: Scope) -> str:
    return tag("hr")


def section(block: Json, scope: Scope) -> str:
    text = tag("div", words(block.get("text"), scope.names), class_="text") if block.get("text") else ""
    fields = "".join(tag("div", words(field, scope.names)) for field in block.get("fields") or [])
    body = text + (tag("div", fields, class_="fields") if fields else "")
    accessory = block.get("accessory")
    if not accessory:
        return body
    beside = tag("div", element(accessory, block.get("block_id", ""), scope), class_="accessory")
    return tag("div", tag("div", body, class_="grow") + beside, class_="beside")


def context(block: Json, scope: Scope) -> str:
    return "".join(
        image(each) if each.get("type") == "image" else tag("span", words(each, scope.names))
        for each in block["elements"]
    )


def actions(block: Json, scope: Scope) -> str:
    return "".join(element(each, block.get("block_id", ""), scope) for each in block["elements"])


def picture(block: Json, scope: Scope) -> str:
    title = tag("figcaption", words(block.get("title"), scope.names)) if block.get("title") else ""
    return tag("figure", title + image(block))


def form_field(block: Json, scope: Scope) -> str:
    """A labelled input with hint and error; the page's scripts find it by its data attributes."""
    block_id, inner = block.get("block_id", ""), block["element"]
    control_id = scope.id_for(block_id, inner.get("action_id", ""))
    optional = tag("span", " (optional)", class_="optional") if block.get("optional") else ""
    label = tag("label", words(block["label"], scope.names) + optional, for_=control_id, id=f"{control_id}-label")
    hint = tag("p", words(block["hint"], scope.names), class_="hint") if block.get("hint") else ""
    error = scope.errors.get(block_id, "")
    trouble = tag("p", escape(error), class_="field-error", data_error=block_id, role="alert", hidden=not error)
    dispatch = "change" if block.get("dispatch_action") else None
    content = label + control(inner, block_id, scope) + hint + trouble
    return tag("div", content, class_="field", data_act=dispatch, data_field=True, **marks(inner, block_id))


def alert(block: Json, scope: Scope) -> str:
    level = block.get("level") or "default"
    icon = tag("span", ALERT_ICONS.get(level, "•"), class_="alert-icon", aria_hidden="true")
    return tag(
        "div", icon + tag("div", words(block["text"], scope.names)), class_=f"alert {escape(level)}", role="note"
    )


def container_title(block: Json, scope: Scope) -> str:
    title = words(block.get("title"), scope.names) or rich_text(block.get("rich_text_title") or {}, scope.names)
    subtitle = tag("small", words(block["subtitle"], scope.names)) if block.get("subtitle") else ""
    return tag("span", title) + subtitle
