"""The sidebar: workspace, who acts, channels with unread marks, direct messages, the app."""

from __future__ import annotations

from bot.local.workspace.backend import Backend
from bot.local.workspace.directory import Room
from bot.local.workspace.page.address import Address
from bot.local.workspace.page.people_view import avatar, shown_name
from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.setup import User


def sidebar(backend: Backend, address: Address) -> str:
    directory = backend.directory
    channels = sorted((room for room in directory.rooms_of(address.person.id) if not room.is_dm), key=lambda r: r.name)
    direct = directory.dm(address.person.id)
    bot_face = avatar(directory.bot, small=True)
    messages = entry(backend, address, direct, bot_face + tag("span", escape(directory.bot.name), class_="label"))
    parts = (
        header(backend),
        picker(backend, address),
        group("Channels", "".join(entry(backend, address, room, channel_label(room)) for room in channels)),
        group("Direct messages", messages + you(address.person)),
        group("Apps", home_entry(backend, address)),
        tag("button", "Switch theme", type="button", class_="theme-toggle", data_theme_toggle=True),
    )
    return tag("nav", "".join(parts), class_="sidebar", id="sidebar", aria_label="Workspace")


def header(backend: Backend) -> str:
    name = tag("span", escape(backend.setup.team_name), class_="team")
    close = tag(
        "button",
        "✕",
        type="button",
        class_="icon-button drawer-close",
        data_drawer="close",
        aria_label="Close the channel list",
    )
    return tag("div", name + close, class_="sidebar-header")


def picker(backend: Backend, address: Address) -> str:
    """Choosing a person moves this tab to their address."""
    options = "".join(person_option(person, address) for person in backend.directory.people)
    label = tag("label", "Acting as", for_="person")
    return tag("div", label + tag("select", options, id="person", autocomplete="off"), class_="person")


def person_option(person: User, address: Address) -> str:
    words = escape(shown_name(person) + (" (admin)" if person.is_admin else ""))
    href = address.acting_as(person).href()
    return tag("option", words, value=href, selected=person.id == address.person.id)


def group(title: str, entries: str) -> str:
    return tag("section", tag("h2", title) + tag("ul", entries))


def channel_label(room: Room) -> str:
    sign = tag("span", "", class_="lock" if room.is_private else "hash", aria_hidden="true")
    private = tag("span", "private channel ", class_="unseen") if room.is_private else ""
    return sign + private + tag("span", escape(room.name), class_="label")


def entry(backend: Backend, address: Address, room: Room, label: str) -> str:
    here = address.room is not None and address.room.id == room.id
    unread = 0 if here else backend.timeline.unread(address.person.id, room.id)
    badge = tag("span", str(unread) if unread else "", class_="unread-count", hidden=not unread)
    link = tag(
        "a",
        label + badge,
        href=address.at(room).href(),
        aria_current="page" if here else None,
        class_="unread" if unread else None,
        data_channel=room.id,
    )
    return tag("li", link)


def you(person: User) -> str:
    label = tag("span", f"{escape(person.name)} {tag('small', 'you')}", class_="label")
    return tag("li", tag("span", avatar(person, small=True) + label, class_="entry"))


def home_entry(backend: Backend, address: Address) -> str:
    here = "page" if address.room is None else None
    label = tag("span", "", class_="house", aria_hidden="true") + tag(
        "span", f"{escape(backend.directory.bot.name)} Home", class_="label"
    )
    return tag("li", tag("a", label, href=address.at(None).href(), aria_current=here))
