"""Options of menus and boxes: native selects, radio buttons and checkboxes."""

from __future__ import annotations

from typing import Any

from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.render.mrkdwn import mrkdwn, plain_text
from bot.local.workspace.render.scope import Names, Scope
from bot.local.workspace.values import initial_of, options_of

Json = dict[str, Any]


def words(text: Json | None, names: Names) -> str:
    """A text object of either kind."""
    if not text:
        return ""
    return mrkdwn(text["text"], names) if text.get("type") == "mrkdwn" else plain_text(text["text"])


def select(element: Json, scope: Scope, **attributes: str | bool | None) -> str:
    """A drop-down list; without an initial choice its placeholder stands first."""
    chosen = initial_of(element)
    hint = (element.get("placeholder") or {}).get("text") or "Choose…"
    options = [tag("option", plain_text(hint), value="", selected=chosen is None)]
    for group in element.get("option_groups") or []:
        inner = "".join(option(each, chosen) for each in group["options"])
        options.append(tag("optgroup", inner, label=group["label"]["text"]))
    options += [option(each, chosen) for each in flat_options(element, scope.names)]
    return tag("select", "".join(options), **attributes)


def flat_options(element: Json, names: Names) -> list[Json]:
    """Those outside groups; people and channels for the menus that list them."""
    known = {"users_select": names.users, "channels_select": names.channels, "conversations_select": names.channels}
    if element["type"] in known:
        listed = known[element["type"]]
        return [{"text": {"type": "plain_text", "text": name}, "value": key} for key, name in listed.items()]
    return list(element.get("options") or [])


def option(each: Json, chosen: Any) -> str:
    return tag("option", escape(each["text"]["text"]), value=each["value"], selected=each["value"] == chosen)


def boxes(element: Json, scope: Scope, block_id: str) -> str:
    """Radio buttons, checkboxes and multiple choices, one labelled line each."""
    single = element["type"] == "radio_buttons"
    name = scope.id_for(block_id, element["action_id"])
    initial = initial_of(element)
    chosen = [initial] if single else initial or []
    rows = []
    for each in options_of(element) or people_of(element, scope.names):
        kind = "radio" if single else "checkbox"
        box = tag("input", type=kind, name=name, value=each["value"], checked=each["value"] in chosen)
        described = tag("small", words(each.get("description"), scope.names)) if each.get("description") else ""
        rows.append(tag("label", box + tag("span", words(each["text"], scope.names) + described)))
    role = "radiogroup" if single else "group"
    return tag("div", "".join(rows), class_="boxes", role=role, id=name, aria_labelledby=f"{name}-label")


def people_of(element: Json, names: Names) -> list[Json]:
    if element["type"] != "multi_users_select":
        return []
    return [{"text": {"type": "plain_text", "text": name}, "value": user} for user, name in names.users.items()]
