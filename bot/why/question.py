"""What was asked after `why`, taken apart.

pending                               everything that does not run
pending glm-0    glm-0    job/train   one thing
glm-0 if uncordon gpu-3 and tolerate dedicated
fits 8 gpus                           before anything exists
"""

from dataclasses import dataclass

from bot.domain.errors import UsageError
from bot.grammar import quoted

_FILLING = frozenset({"pending", "waiting", "not", "running", "details", "?"})
FITS_USAGE = "`/why fits 8 gpus product=H200`"


@dataclass(frozen=True, slots=True)
class Question:
    """`word` names the thing (empty: everything that does not run); `changes` are the words of each what-if.

    `details`: with the table of nodes. `fits`: how many GPUs a pod that does not exist yet would ask for; None where
    something that exists is meant.
    """

    word: str = ""
    changes: tuple[tuple[str, ...], ...] = ()
    fits: int | None = None
    details: bool = False


def take_apart(words: tuple[str, ...]) -> Question:
    """Raises UsageError that says what to type instead."""
    low = tuple(word.casefold() for word in words)
    if low[:1] == ("fits",):
        return Question(fits=_gpus(words[1:]))
    rest, changes = _split(words, low)
    if rest and rest[0].casefold() in ("pending", "is", "pod", "does", "are"):
        rest = rest[1:]
    details = any(word.casefold() == "details" for word in rest[1:])
    rest = tuple(word for word in rest if word.casefold() not in _FILLING)
    if len(rest) > 1:
        raise UsageError(
            f"`/why` takes one name at a time, and {quoted(rest[1])} is a second one: try `/why {_plain(rest[0])}`."
        )
    if changes and not rest:
        raise UsageError("What would be different for whom? Name the pod before `if`: `/why glm-0 if uncordon gpu-3`.")
    return Question(rest[0] if rest else "", changes, details=details)


def _plain(word: str) -> str:
    return word.replace("`", "'")[:60]


def _split(words: tuple[str, ...], low: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The words before `if`, and those of each change after it; changes are set apart by `and` or a comma."""
    if "if" not in low:
        return words, ()
    at = low.index("if")
    changes: list[list[str]] = [[]]
    for word in words[at + 1 :]:
        bare = word.rstrip(",")
        if word.casefold() != "and" and bare:
            changes[-1].append(bare)
        if word.casefold() == "and" or word.endswith(","):
            changes.append([])
    kept = tuple(tuple(change) for change in changes if change)
    if not kept:
        raise UsageError("After `if` comes what to try, for example `/why glm-0 if uncordon gpu-3`.")
    return words[:at], kept


def _gpus(words: tuple[str, ...]) -> int:
    """The number of `8 gpus`, `8`, `8gpus`."""
    text = words[0].casefold().removesuffix("gpus").removesuffix("gpu") if words else ""
    surplus = [word for word in words[1:] if word.casefold() not in ("gpu", "gpus", "on", "one", "node")]
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= 1024 and len(text) < 5) or surplus:
        raise UsageError(f"How many GPUs should fit on one node? A number from 1 to 1,024, for example {FITS_USAGE}.")
    return int(text)
