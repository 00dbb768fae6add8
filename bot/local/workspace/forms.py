"""People and views: they press things inside, submit, close; the app answers with errors, an update or nothing."""

from __future__ import annotations

from typing import Any

from bot.local.workspace import payloads
from bot.local.workspace.backend import Backend
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.messages import Json, Outcome
from bot.local.workspace.modals import View
from bot.local.workspace.setup import User
from bot.local.workspace.values import action_of, find_element, form_values, missing


class Forms:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def submit(self, user: str, view_id: str, values: Json) -> Outcome:
        """Sends a form. `values` maps block id to a value, to {action id: value}, or to Slack's own shape.

        What the client itself refuses (a required field that is empty) never reaches the app: `required_fields`.
        """
        person, view = self._opened(user, view_id)
        state = form_values(view.blocks, values)
        absent = missing(view.blocks, state)
        if absent:
            self._backend.modals.refuse(view, absent)
            return Outcome("required_fields", {"response_action": "errors", "errors": absent}, 0.0)
        payload = payloads.view_submission(person, view, state, self._backend.grants.trigger(person.id))
        ack = await self._backend.sockets.deliver("interactive", payload)
        error = ack.error or self._answer(view, ack.payload or {})
        return Outcome(error, ack.payload, ack.after_seconds)

    async def click(
        self, user: str, view_id: str, action_id: str, *, value: Any, block_id: str | None, values: Json
    ) -> Outcome:
        """A button or menu inside a view; `values` is what the form holds at that moment."""
        person, view = self._opened(user, view_id)
        block, element = find_element(view.blocks, action_id, block_id)
        action = action_of(block, element, value, view.hash)
        state = form_values(view.blocks, values)
        payload = payloads.view_action(person, view, action, state, self._backend.grants.trigger(person.id))
        ack = await self._backend.sockets.deliver("interactive", payload)
        return Outcome(ack.error, ack.payload, ack.after_seconds)

    async def close(self, user: str, view_id: str) -> None:
        """Closes a modal; the app hears of it when it asked to."""
        person, view = self._opened(user, view_id)
        self._backend.modals.close(view)
        if view.given.get("notify_on_close"):
            await self._backend.sockets.deliver("interactive", payloads.view_closed(person, view))

    def _opened(self, user: str, view_id: str) -> tuple[User, View]:
        person, view = self._backend.directory.user(user), self._backend.modals.find(view_id)
        if view.user != person.id:
            raise WorkspaceError("not_found")
        return person, view

    def _answer(self, view: View, response: Json) -> str | None:
        """What the acknowledgement of a submission does to the modal; returns an error word when it is unsound."""
        modals, action = self._backend.modals, response.get("response_action")
        try:
            if action == "errors":
                modals.refuse(view, sound_errors(view, response.get("errors")))
            elif action == "update":
                modals.update(view, response.get("view") or {})
            elif action == "push":
                modals.push(view.user, response.get("view") or {})
            elif action == "clear":
                modals.clear(view.user)
            elif action is None:
                modals.close(view)
            else:
                return "invalid_response_action"
        except WorkspaceError as fault:
            return fault.error
        return None


def sound_errors(view: View, errors: Any) -> dict[str, str]:
    """Errors must name input blocks of the view, or Slack shows none of them."""
    inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
    if not isinstance(errors, dict) or not errors or not set(errors) <= inputs:
        raise WorkspaceError("invalid_response_errors")
    return {str(block): str(words) for block, words in errors.items()}
