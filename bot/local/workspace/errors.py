"""The one error of this workspace: Slack's own error word, and what it says about where."""

from __future__ import annotations

from collections.abc import Sequence


class WorkspaceError(Exception):
    """`error` is what Slack would answer (`not_in_channel`); `messages` name the places of invalid blocks."""

    def __init__(self, error: str, messages: Sequence[str] = (), retry_after_seconds: int | None = None) -> None:
        super().__init__(f"{error}: {'; '.join(messages)}" if messages else error)
        self.error = error
        self.messages = tuple(messages)
        self.retry_after_seconds = retry_after_seconds
