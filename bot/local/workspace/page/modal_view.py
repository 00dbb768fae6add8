"""Views as HTML: a modal dialog, and the app's Home tab."""

from __future__ import annotations

from bot.local.workspace.backend import Backend
from bot.local.workspace.modals import View
from bot.local.workspace.page.people_view import names_of
from bot.local.workspace.render import Scope, render_blocks
from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.setup import User


def modal(backend: Backend, person: User) -> str:
    """The dialog on top of this person's screen, or nothing."""
    view = backend.modals.top(person.id)
    if view is None:
        return ""
    given, title_id = view.given, f"{view.id}-title"
    close = escape((given.get("close") or {}).get("text") or "Cancel")
    head = tag("h2", escape(given["title"]["text"]), id=title_id) + tag(
        "button", "✕", type="button", class_="icon-button", data_close=True, aria_label=close
    )
    foot = tag("button", close, type="button", class_="button default", data_close=True)
    if given.get("submit"):
        foot += tag("button", escape(given["submit"]["text"]), type="submit", class_="button primary")
    trouble = tag("p", "", class_="form-error", role="alert", hidden=True)
    form = tag(
        "form",
        tag("header", head) + tag("div", blocks(backend, view), class_="modal-body") + trouble + tag("footer", foot),
        novalidate=True,
    )
    return tag("dialog", form, class_="modal", data_view=view.id, data_hash=view.hash, aria_labelledby=title_id)


def home(backend: Backend, person: User) -> str:
    """The Home tab as the app published it."""
    view = backend.modals.home(person.id)
    if view is None:
        return tag("p", f"{escape(backend.setup.bot_name)} has not drawn a Home tab for you yet.", class_="empty")
    return tag("div", blocks(backend, view), class_="home", data_view=view.id)


def blocks(backend: Backend, view: View) -> str:
    return render_blocks(view.blocks, Scope(names_of(backend.directory), view.id, view.errors))
