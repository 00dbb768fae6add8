"""What may come of a call to Slack, sorted by what is done next.

The errors of each method: docs.slack.dev/reference/methods/chat.postMessage, chat.update, conversations.history.
"""

import asyncio
import enum

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

_NO_CHANNEL = frozenset(
    {
        "channel_not_found",
        "not_in_channel",
        "is_archived",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_non_threadable_channel",
        "team_access_not_granted",
        "user_not_found",
        "messages_tab_disabled",
    }
)
_UNFIT = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "msg_too_long",
        "no_text",
        "too_many_attachments",
        "metadata_too_large",
        "invalid_metadata_format",
        "invalid_metadata_schema",
    }
)
_GONE = frozenset(
    {"message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found", "cannot_reply_to_message"}
)
_CLOSED = frozenset(
    {
        "invalid_auth",
        "not_authed",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "no_permission",
        "missing_scope",
        "not_allowed_token_type",
        "ekm_access_denied",
        "org_login_required",
        "team_added_to_org",
        "access_denied",
    }
)
_UNKNOWN = frozenset(
    {"internal_error", "fatal_error", "service_unavailable", "request_timeout"}
)  # it may have gone out
SLOW_SECONDS = 30.0  # where Slack says to wait, and not how long


class Trouble(enum.Enum):
    """What kind of trouble, by what is to be done."""

    SLOW = "slow"  # too fast for Slack: nothing was done, later
    UNKNOWN = "unknown"  # no answer, or one that leaves it open: look before it is done again
    NO_CHANNEL = "no_channel"  # we cannot post there, until a person changes that
    UNFIT = "unfit"  # the content is not taken: plainer
    GONE = "gone"  # the message, or the thread, is no more
    CLOSED = "closed"  # Slack does not let us in at all
    OTHER = "other"  # not done, for a reason of its own


class ChatTroubleError(Exception):
    """`reason` is Slack's word, or what the network said."""

    def __init__(self, trouble: Trouble, reason: str, retry_after_seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.trouble, self.reason, self.retry_after_seconds = trouble, reason, retry_after_seconds


NETWORK = (aiohttp.ClientError, OSError, asyncio.TimeoutError, SlackClientError)


def sorted_out(error: Exception) -> ChatTroubleError:
    """Of what slack_sdk raised (`NETWORK` has all of it)."""
    if not isinstance(error, SlackApiError):
        return ChatTroubleError(Trouble.UNKNOWN, str(error) or type(error).__name__)
    response = error.response
    word = _word(response)
    status = getattr(response, "status_code", 200)
    if status == 429 or word in ("ratelimited", "rate_limited"):
        return ChatTroubleError(Trouble.SLOW, "ratelimited", _seconds(getattr(response, "headers", None) or {}))
    if status >= 500 or word in _UNKNOWN:
        return ChatTroubleError(Trouble.UNKNOWN, word)
    for trouble, words in (
        (Trouble.NO_CHANNEL, _NO_CHANNEL),
        (Trouble.UNFIT, _UNFIT),
        (Trouble.GONE, _GONE),
        (Trouble.CLOSED, _CLOSED),
    ):
        if word in words:
            return ChatTroubleError(trouble, word)
    return ChatTroubleError(Trouble.OTHER, word)


def _word(response: object) -> str:
    get = getattr(response, "get", None)
    return str(get("error", "unknown")) if callable(get) else "unknown"


def _seconds(headers: object) -> float:
    get = getattr(headers, "get", None)
    told = (get("Retry-After") or get("retry-after")) if callable(get) else None
    value = told[0] if isinstance(told, list) and told else told
    try:
        return max(1.0, float(str(value)))
    except ValueError:
        return SLOW_SECONDS
