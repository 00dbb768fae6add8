"""Slack's date tokens: https://docs.slack.dev/messaging/formatting-message-text (date formatting)."""

from __future__ import annotations

import re
from datetime import datetime

from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.render.scope import Names

TOKEN = re.compile(r"\{(\w+)\}")
FORMATS = {
    "date_num": "%Y-%m-%d",
    "date": "%B %-d, %Y",
    "date_short": "%b %-d, %Y",
    "date_long": "%A, %B %-d, %Y",
    "date_pretty": "%B %-d, %Y",
    "date_short_pretty": "%b %-d, %Y",
    "date_long_pretty": "%A, %B %-d, %Y",
    "date_slash": "%Y/%m/%d",
    "time": "%H:%M",
    "time_secs": "%H:%M:%S",
    "ago": "%Y-%m-%d %H:%M",
}


def formatted(epoch_seconds: str, pattern: str, names: Names) -> str | None:
    """HTML of a date, or None when the time is none."""
    try:
        moment = names.local(int(epoch_seconds))
    except (ValueError, OverflowError, OSError):
        return None
    words = TOKEN.sub(lambda match: token(match, moment), pattern)
    return tag("time", escape(words), datetime=moment.isoformat(), title=moment.strftime("%Y-%m-%d %H:%M:%S %Z"))


def token(match: re.Match[str], moment: datetime) -> str:
    """An unknown token stays as it is."""
    pattern = FORMATS.get(match[1])
    return moment.strftime(pattern) if pattern else match[0]
