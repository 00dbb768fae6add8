"""The whole document: sidebar, channel, thread, composer, and the places where scripts put dialogs and notices."""

from __future__ import annotations

import json

from bot.local.workspace.backend import Backend
from bot.local.workspace.page.address import Address
from bot.local.workspace.page.modal_view import home, modal
from bot.local.workspace.page.sidebar import sidebar
from bot.local.workspace.page.timeline_view import thread, timeline
from bot.local.workspace.render.html import escape, tag

INVITE = {
    "command": "/invite",
    "description": "Let somebody into this channel",
    "hint": "@name",
    "completions": [],
}


def document(backend: Backend, address: Address) -> str:
    title = f"{place(address, backend)} · {backend.setup.team_name}"
    head = (
        tag("meta", charset="utf-8")
        + tag("meta", name="viewport", content="width=device-width, initial-scale=1")
        + tag("title", escape(title))
        + tag("link", rel="stylesheet", href="/static/workspace.css")
        + tag("link", rel="icon", href="/static/icon.svg", type="image/svg+xml")
        + tag("script", "", type="module", src="/static/main.js")
    )
    layout = sidebar(backend, address) + channel(backend, address) + side_panel(backend, address)
    body = (
        tag("a", "Skip to the message field", href="#composer", class_="skip")
        + tag("div", layout, class_="app" + (" with-thread" if address.thread_ts else ""))
        + tag("div", "", class_="backdrop", data_drawer="close")
        + tag("div", modal(backend, address.person), id="modal")
        + tag("div", "", id="notice", class_="notice", role="status", aria_live="polite")
    )
    html = tag(
        "html",
        tag("head", head) + tag("body", body, **state(backend, address)),
        lang="en",
        data_theme=address.theme or None,
    )
    return f"<!doctype html>{html}"


def state(backend: Backend, address: Address) -> dict[str, str | int | bool | None]:
    """What the page's scripts need to know."""
    commands = [
        {
            "command": known.command,
            "description": known.description,
            "hint": known.usage_hint,
            "completions": list(known.completions),
        }
        for known in backend.setup.commands
    ]
    people = [user.name for user in (*backend.directory.people, backend.directory.bot)]
    return {
        "data_as": address.person.name,
        "data_channel": address.room.id if address.room else "home",
        "data_thread": address.thread_ts,
        "data_revision": backend.changes.revision,
        "data_commands": json.dumps([*commands, INVITE]),
        "data_people": json.dumps(people),
    }


def place(address: Address, backend: Backend) -> str:
    if address.room is None:
        return f"{backend.setup.bot_name} Home"
    return backend.setup.bot_name if address.room.is_dm else f"#{address.room.name}"


def channel(backend: Backend, address: Address) -> str:
    menu = tag(
        "button",
        "☰",
        type="button",
        class_="icon-button drawer-open",
        data_drawer="open",
        aria_label="Channels and people",
        aria_controls="sidebar",
        aria_expanded="false",
    )
    heading = tag("h1", escape(place(address, backend)))
    about = tag("p", escape(subtitle(backend, address)), class_="topic")
    bar = tag("header", menu + tag("div", heading + about, class_="bar-words"), class_="bar")
    if address.room is None:
        return tag(
            "main", bar + tag("div", home(backend, address.person), id="home", class_="scroll"), class_="channel"
        )
    log = tag(
        "div",
        timeline(backend, address),
        class_="log",
        id="timeline",
        role="log",
        aria_live="polite",
        aria_label=f"Messages in {place(address, backend)}",
    )
    welcome = tag("p", f"This is the start of {escape(place(address, backend))}.", class_="empty")
    scroll = tag("div", welcome + log, class_="scroll", tabindex="0")
    return tag("main", bar + scroll + composer(f"Message {place(address, backend)}", "composer"), class_="channel")


def subtitle(backend: Backend, address: Address) -> str:
    if address.room is None:
        return "What the app shows to you alone"
    if address.room.is_dm:
        return "Direct message with the app"
    count = len(address.room.members)
    members = f"{count} member{'' if count == 1 else 's'}"
    return f"{members} · {address.room.topic}" if address.room.topic else members


def side_panel(backend: Backend, address: Address) -> str:
    if not address.thread_ts or address.room is None:
        return ""
    close = tag("a", "✕", href=address.at(address.room).href(), class_="icon-button", aria_label="Close the thread")
    title = tag(
        "div", tag("h2", "Thread") + tag("p", escape(place(address, backend)), class_="topic"), class_="bar-words"
    )
    log = tag(
        "div", thread(backend, address), class_="log", id="thread", role="log", aria_live="polite", aria_label="Thread"
    )
    scroll = tag("div", log, class_="scroll", tabindex="0")
    inside = (
        tag("header", title + close, class_="bar") + scroll + composer("Reply", "reply", thread_ts=address.thread_ts)
    )
    return tag("aside", inside, class_="thread", aria_label="Thread")


def composer(label: str, field_id: str, *, thread_ts: str = "") -> str:
    """A message field with its completion list."""
    list_id = f"{field_id}-list"
    options = tag("ul", "", class_="completions", id=list_id, role="listbox", aria_label="Suggestions", hidden=True)
    field = tag(
        "textarea",
        "",
        id=field_id,
        rows="1",
        placeholder=label,
        aria_label=label,
        autocomplete="off",
        role="combobox",
        aria_autocomplete="list",
        aria_expanded="false",
        aria_controls=list_id,
        enterkeyhint="send",
    )
    send = tag(
        "button",
        tag("span", "", class_="send-sign", aria_hidden="true"),
        type="submit",
        class_="send",
        aria_label="Send",
    )
    words = "Enter sends, Shift+Enter starts a new line" + ("" if thread_ts else ", / lists commands")
    hint = tag("p", words, class_="composer-hint")
    return tag(
        "form",
        options + tag("div", field + send, class_="composer-box") + hint,
        class_="composer",
        data_thread=thread_ts,
    )
