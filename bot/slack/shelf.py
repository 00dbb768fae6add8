"""Answers that were shown to one person and may be shared: kept a while, found by a key that nobody can guess."""

import secrets
from collections import OrderedDict
from dataclasses import dataclass

from bot.domain.document import Document

KEPT_AT_MOST = 500


@dataclass(frozen=True, slots=True)
class Shown:
    """What was asked and what was shown."""

    line: str
    document: Document


class Shelf:
    """The newest answers. What is gone after a restart is asked anew, so nothing is lost but the moment."""

    def __init__(self) -> None:
        self._shown: OrderedDict[str, Shown] = OrderedDict()
        self._taken: OrderedDict[str, None] = OrderedDict()

    def put(self, shown: Shown) -> str:
        key = secrets.token_urlsafe(12)
        self._shown[key] = shown
        if len(self._shown) > KEPT_AT_MOST:
            self._shown.popitem(last=False)
        return key

    def take(self, key: str) -> Shown | None:
        """Once only: a second click finds nothing to share again."""
        shown = self._shown.pop(key, None)
        if shown is not None:
            self._taken[key] = None
            if len(self._taken) > KEPT_AT_MOST:
                self._taken.popitem(last=False)
        return shown

    def was_taken(self, key: str) -> bool:
        return key in self._taken
