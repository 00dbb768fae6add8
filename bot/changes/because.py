"""The reason for a change, typed after the word `because`: it is kept, shown to approvers and recorded."""

from collections.abc import Sequence

from bot.domain.errors import UsageError
from bot.domain.text import inert

LONGEST = 200
_WORD = "because"


def split_because(words: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The words before `because`, and the reason after it; an empty one where the word was not typed."""
    low = [word.casefold().rstrip(":,") for word in words]
    if _WORD not in low:
        return tuple(words), ""
    at = low.index(_WORD)
    return tuple(words[:at]), inert(" ".join(words[at + 1 :]), LONGEST)


def needs_because(reason: str, example: str) -> None:
    """Raises UsageError where no reason was given; `example` is the whole line to type instead."""
    if not reason:
        raise UsageError(f"Say why, for whoever approves it and for the record: `{example}`.")
