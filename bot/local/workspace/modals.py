"""Modals and Home tabs: a stack of at most three views for each person, each with a hash that changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.local.workspace.changes import Change, Changes
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.ids import Ids
from bot.local.workspace.messages import Json
from bot.local.workspace.posting import with_block_ids
from bot.local.workspace.setup import APP_ID, BOT_ID, TEAM_ID
from bot.local.workspace.validation import check_view
from bot.local.workspace.validation.limits import VIEW_STACK

GIVEN = ("type", "callback_id", "private_metadata", "external_id", "title", "submit", "close")


@dataclass(slots=True)
class View:
    """One view on a person's screen. `errors` are what the app said about its last submission, by block id."""

    id: str
    user: str
    given: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def blocks(self) -> list[Json]:
        return list(self.given["blocks"])

    def payload(self, values: Json | None = None) -> Json:
        """The view as it stands in answers and payloads."""
        return {
            "id": self.id,
            "team_id": TEAM_ID,
            "app_id": APP_ID,
            "app_installed_team_id": TEAM_ID,
            "bot_id": BOT_ID,
            "hash": self.hash,
            "root_view_id": self.root_id,
            "previous_view_id": self.previous_id,
            **{name: self.given.get(name) or None for name in GIVEN},
            "callback_id": self.given.get("callback_id") or "",
            "private_metadata": self.given.get("private_metadata") or "",
            "external_id": self.given.get("external_id") or "",
            "clear_on_close": bool(self.given.get("clear_on_close")),
            "notify_on_close": bool(self.given.get("notify_on_close")),
            "blocks": self.given["blocks"],
            "state": {"values": values or {}},
        }


class Modals:
    def __init__(self, ids: Ids, changes: Changes) -> None:
        self._ids = ids
        self._changes = changes
        self._stacks: dict[str, list[View]] = {}
        self._homes: dict[str, View] = {}

    def open(self, user: str, view: Json) -> View:
        """A first modal; what was open before is gone."""
        opened = self._new(user, view, None)
        self._stacks[user] = [opened]
        self._tell(user)
        return opened

    def push(self, user: str, view: Json) -> View:
        """One more modal on top. Raises WorkspaceError `push_limit_reached` at three."""
        stack = self._stacks.setdefault(user, [])
        if len(stack) >= VIEW_STACK:
            raise WorkspaceError("push_limit_reached")
        pushed = self._new(user, view, stack[-1] if stack else None)
        stack.append(pushed)
        self._tell(user)
        return pushed

    def update(self, which: View, view: Json, expected_hash: str | None = None) -> View:
        """New content for an open view. Raises WorkspaceError `hash_conflict` when it changed in between."""
        check_view(view)
        if expected_hash and expected_hash != which.hash:
            raise WorkspaceError("hash_conflict")
        which.given, which.hash, which.errors = named(view), self._ids.ts(), {}
        self._tell(which.user)
        return which

    def publish(self, user: str, view: Json, expected_hash: str | None = None) -> View:
        """The Home tab of one person."""
        if user in self._homes:
            home = self.update(self._homes[user], view, expected_hash)
        else:
            home = self._homes[user] = self._new(user, view, None)
        self._changes.publish(Change("home", audience=user))
        return home

    def find(self, view_id: str = "", external_id: str = "") -> View:
        """An open view or Home tab. Raises WorkspaceError `not_found`."""
        everything = [*(view for stack in self._stacks.values() for view in stack), *self._homes.values()]
        for view in everything:
            if view.id == view_id or (external_id and view.given.get("external_id") == external_id):
                return view
        raise WorkspaceError("not_found")

    def top(self, user: str) -> View | None:
        stack = self._stacks.get(user)
        return stack[-1] if stack else None

    def home(self, user: str) -> View | None:
        return self._homes.get(user)

    def refuse(self, view: View, errors: dict[str, str]) -> None:
        """Keeps the errors of a submission; the page that submitted shows them without losing what was typed."""
        view.errors = errors

    def close(self, view: View) -> None:
        """Closes one view; with `clear_on_close` all of them."""
        stack = self._stacks.get(view.user, [])
        remaining = [] if view.given.get("clear_on_close") else [open_view for open_view in stack if open_view != view]
        self._stacks[view.user] = remaining
        self._tell(view.user)

    def clear(self, user: str) -> None:
        self._stacks[user] = []
        self._tell(user)

    def _new(self, user: str, view: Json, previous: View | None) -> View:
        check_view(view)
        view_id = self._ids.next("V")
        root_id = previous.root_id if previous else view_id
        return View(view_id, user, named(view), self._ids.ts(), root_id, previous.id if previous else None)

    def _tell(self, user: str) -> None:
        self._changes.publish(Change("view", audience=user))


def named(view: Json) -> Json:
    return {**view, "blocks": with_block_ids(view["blocks"])}
