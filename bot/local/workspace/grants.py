"""What an interaction entitles the app to: open one modal within 3 s, answer five times within 30 minutes.

Facts: https://docs.slack.dev/interactivity/handling-user-interaction (trigger_id, response_url).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.ids import Ids

TRIGGER_SECONDS = 3.0
RESPONSE_URL_SECONDS = 30 * 60.0
RESPONSE_URL_USES = 5
MOST_REMEMBERED = 10_000


@dataclass(slots=True)
class Trigger:
    user: str
    issued_at: float
    used: bool = False


@dataclass(slots=True)
class ReplyGrant:
    """Behind a response_url. `original` is the message it may replace: the one clicked, or the command's own last."""

    user: str
    channel: str
    issued_at: float
    original: str | None
    uses: int = 0


class Grants:
    def __init__(self, ids: Ids, clock: Callable[[], float]) -> None:
        self._ids = ids
        self._clock = clock
        self._triggers: dict[str, Trigger] = {}
        self._replies: dict[str, ReplyGrant] = {}

    def trigger(self, user: str) -> str:
        trigger_id = self._ids.secret()
        self._triggers[trigger_id] = Trigger(user, self._clock())
        forget_oldest(self._triggers)
        return trigger_id

    def use_trigger(self, trigger_id: str) -> str:
        """Whose trigger it is; it is spent from here on. Raises WorkspaceError, as views.open would answer."""
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise WorkspaceError("invalid_trigger_id")
        if trigger.used:
            raise WorkspaceError("exchanged_trigger_id")
        if self._clock() - trigger.issued_at > TRIGGER_SECONDS:
            raise WorkspaceError("expired_trigger_id")
        trigger.used = True
        return trigger.user

    def reply(self, user: str, channel: str, original: str | None = None) -> str:
        """The secret part of a new response_url."""
        secret = self._ids.secret()
        self._replies[secret] = ReplyGrant(user, channel, self._clock(), original)
        forget_oldest(self._replies)
        return secret

    def use_reply(self, secret: str) -> ReplyGrant:
        """Counts one use. Raises WorkspaceError `expired_url` or `used_url`."""
        grant = self._replies.get(secret)
        if grant is None or self._clock() - grant.issued_at > RESPONSE_URL_SECONDS:
            raise WorkspaceError("expired_url")
        if grant.uses >= RESPONSE_URL_USES:
            raise WorkspaceError("used_url")
        grant.uses += 1
        return grant

    def look(self, secret: str) -> ReplyGrant:
        """The grant without using it."""
        return self._replies[secret]


def forget_oldest(grants: dict[str, Trigger] | dict[str, ReplyGrant]) -> None:
    """A demo may run for weeks."""
    if len(grants) > MOST_REMEMBERED:
        del grants[next(iter(grants))]
