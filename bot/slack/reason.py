"""A form that asks for a reason, where a button's line ends with `because` and waits for one.

The form carries nothing but a name that cannot be guessed: which line it is about, who opened it and where, is
remembered here, and nothing that comes back from Slack can change that. After a restart the button is pressed again.
"""

import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from bot.domain.text import inert
from bot.slack.people import Caller
from bot.views.blocks import plain_text

FORM = "because"
KEPT_AT_MOST = 500
REASON_MAX = 200
_FIELD, _TEXT = "reason", "text"
_ASKS = f" {FORM}"


@dataclass(frozen=True, slots=True)
class _Open:
    line: str
    caller: Caller


class Reasons:
    """Forms that are open."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, _Open] = OrderedDict()

    def wanted(self, line: str) -> bool:
        return line.endswith(_ASKS)

    def form(self, line: str, caller: Caller) -> dict[str, Any]:
        """A modal for that line."""
        name = secrets.token_urlsafe(12)
        self._open[name] = _Open(line, caller)
        if len(self._open) > KEPT_AT_MOST:
            self._open.popitem(last=False)
        asked = inert(line.removesuffix(_ASKS), 150)
        field = {"type": "plain_text_input", "action_id": _TEXT, "max_length": REASON_MAX}
        return {
            "type": "modal",
            "callback_id": FORM,
            "private_metadata": name,
            "title": plain_text("Because…"),
            "submit": plain_text("Go on"),
            "close": plain_text("Leave it"),
            "blocks": [
                {"type": "input", "block_id": _FIELD, "label": plain_text(f"/gpu {asked}, because"), "element": field}
            ],
        }

    def take(self, view: dict[str, Any], person: str) -> tuple[str, str] | None:
        """The line with its reason, and the channel; None for a form that is none of ours, or somebody else's."""
        opened = self._open.pop(str(view.get("private_metadata")), None)
        if opened is None or opened.caller.person != person:
            return None
        return f"{opened.line} {_typed(view)}", opened.caller.channel


def _typed(view: dict[str, Any]) -> str:
    values = (view.get("state") or {}).get("values") or {}
    return inert(str(((values.get(_FIELD) or {}).get(_TEXT) or {}).get("value") or ""), REASON_MAX)
