"""What somebody asks for: `glm 4`, `glm +2 for 3h`, `glm to 0 because …`; one sentence about whatever is odd."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.errors import UsageError
from bot.domain.pattern import Pattern
from bot.domain.text import inert
from bot.grammar import quoted
from bot.scaling.until import ends_at

MOST = 100_000
REASON_LONGEST = 200
EXAMPLE = "/scale deployment/glm 4"
_NUMBER = Pattern(r"([+-]?)(\d{1,15})")
KIND_WORDS = frozenset({"deployment", "deploy", "statefulset", "sts", "replicaset", "rs", "lws", "leaderworkerset"}) | {
    "inferenceservice",
    "isvc",
}
_FILLERS = frozenset({"to", "by", "=", "replicas", "replica", "pods"})
_DIRECTIONS = {"up": 1, "down": -1, "more": 1, "fewer": -1, "less": -1}


@dataclass(frozen=True, slots=True)
class Wish:
    """`number` is how many there shall be, or with `relative` how many more (fewer where negative)."""

    name: str
    number: int
    relative: bool = False
    until: datetime | None = None
    because: str = ""

    def replicas(self, now: int) -> int:
        """Raises UsageError where that would be fewer than none, or more than anybody has."""
        wanted = now + self.number if self.relative else self.number
        if wanted < 0:
            raise UsageError(
                f"{quoted(self.name)} has {now}, so {abs(self.number)} fewer cannot be; `/scale {self.name} to 0` "
                "ends all of them."
            )
        if wanted > MOST:
            raise UsageError(f"{wanted:,} replicas are more than gpubot takes for meant ({MOST:,} at most).")
        return wanted


def wish(words: Sequence[str], now: datetime, replicas: str = "") -> Wish:
    """`replicas`: given as an option instead of as a word. Raises UsageError with what to type."""
    rest, because = _because(list(words))
    rest, until = ends_at(rest, now)
    if not rest:
        raise UsageError(f"Scale what? For example `{EXAMPLE}`; `/scale` alone lists what there is.")
    name, told = _named(rest)
    sign = next((_DIRECTIONS[word.casefold()] for word in told if word.casefold() in _DIRECTIONS), 0)
    numbers = [word for word in told if word.casefold() not in _FILLERS and word.casefold() not in _DIRECTIONS]
    if replicas:
        numbers.append(replicas)
    if not numbers:
        raise UsageError(f"How many replicas should {quoted(name)} have? For example `/scale {name} 4`, or `+2`, `-1`.")
    if len(numbers) > 1:
        raise UsageError(
            f"One thing and one number at a time: {quoted(' '.join(numbers[1:]))} is too much. "
            f"For example `/scale {name} 4 until 18:00 because …`."
        )
    number, relative = _number(name, numbers[0], sign)
    return Wish(name, number, relative, until, because)


def _named(words: list[str]) -> tuple[str, list[str]]:
    """The name, and what is said of it: `deployment glm 4` and `4 glm` are understood, too."""
    name, *told = words
    if told and name.casefold() in KIND_WORDS and not _is_of_number(told[0]):
        return f"{name}/{told[0]}", told[1:]
    if len(told) == 1 and _NUMBER.fullmatch(name) and not _NUMBER.fullmatch(told[0]):
        return told[0], [name]
    low = [word.casefold() for word in told]
    if low[:1] == ["from"] and "to" in low[2:]:  # `from 2 to 4`
        return name, told[low.index("to", 2) :]
    return name, told


def _is_of_number(word: str) -> bool:
    return bool(_NUMBER.fullmatch(word)) or word.casefold() in _FILLERS or word.casefold() in _DIRECTIONS


def _because(words: list[str]) -> tuple[list[str], str]:
    low = [word.casefold().rstrip(":,") for word in words]
    if "because" not in low:
        return words, ""
    at = low.index("because")
    return words[:at], inert(" ".join(words[at + 1 :]), REASON_LONGEST)


def _number(name: str, text: str, sign: int) -> tuple[int, bool]:
    """The number, and whether it is meant as a difference."""
    found = _NUMBER.fullmatch(text) if text.isascii() else None
    if found is None:
        raise UsageError(
            f"{quoted(text)} is no number of replicas: type digits, such as `/scale {name} 4`, `/scale {name} +2` or "
            f"`/scale {name} -1`."
        )
    amount = int(found[2])
    if amount > MOST:
        raise UsageError(f"{quoted(text)} replicas are more than gpubot takes for meant ({MOST:,} at most).")
    if found[1] and sign:
        raise UsageError(f"{quoted(text)} has a sign and a direction; type `/scale {name} {text}`.")
    if sign:
        return sign * amount, True
    return (-amount if found[1] == "-" else amount), bool(found[1])
