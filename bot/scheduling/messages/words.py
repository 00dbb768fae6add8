"""A reason in words that need no knowledge of the scheduler. Numbers are kept; foreign text is made inert."""

from bot.domain.pattern import Pattern
from bot.domain.text import inert
from bot.scheduling.messages.said import Reason

_PLACEHOLDER = Pattern(r"<([a-z]+)>")
_VERBS = {"are": ("is", "are"), "have": ("has", "have"), "do": ("does", "do")}  # one, several


def sentence(reason: Reason) -> str:
    """Without a capital letter and without a dot, for a line of its own or a part of one.

    Unknown words are quoted as they are, with the count before them.
    """
    if reason.known is None:
        quoted = f"“{inert(reason.text)}”"
        return quoted if reason.count is None else f"{_counted(reason)}: {quoted}"
    words = _PLACEHOLDER.sub(lambda match: _value(reason, match[1]), reason.known.words)
    if reason.count is None or "<nodes>" in reason.known.words:
        return words
    return f"{_counted(reason)}: {words}"


def _value(reason: Reason, name: str) -> str:
    if name == "nodes":
        return _counted(reason)
    if name in _VERBS:
        one, several = _VERBS[name]
        return one if reason.count in (None, 1) else several
    return inert(reason.parts[name])


def _counted(reason: Reason) -> str:
    if reason.count is None:
        return f"a {reason.unit}"
    return f"{reason.count} {reason.unit}" + ("" if reason.count == 1 else "s")
