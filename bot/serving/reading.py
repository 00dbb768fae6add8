"""Reads a log for its last words: the known lines in it, which of them explains the end, how far the start came."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bot.domain.text import inert
from bot.serving.lines import Line, clean
from bot.serving.mask import mask
from bot.serving.phase import DOING, Phase
from bot.serving.progress import Course, Progress, follow, last_stamp
from bot.serving.signature import Remedy, Sense, Signature
from bot.serving.signatures import SIGNATURES
from bot.serving.stamp import Stamp
from bot.serving.template import fill

LONGEST_QUOTE = 300
TAIL_LINES = 8
_LONGEST_VALUE = 120
_LONGEST_PART = 1200  # of a line that is masked and then capped
_LEAD = 60  # characters of a long line that are shown before its known text
_BEFORE, _AFTER = 1000, 1500  # characters around a literal in which its pattern is looked for
_FOLLOWING = 2  # lines that a message may go on for
_FULLER_WITHIN = 4  # lines
_MOST_HITS = 400  # of one literal; a log that says it more often says nothing new


@dataclass(frozen=True, slots=True)
class Match:
    """A known line. `past`: an earlier run in the same log said it, or the engine became ready after it."""

    signature: Signature
    line: str  # as it stands there, without prefixes, masked, capped
    cause: str
    remedies: tuple[Remedy, ...]
    count: int = 1
    past: bool = False
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """`matches`: best explanation first, those of the past last. `tail`: the last lines, masked."""

    matches: tuple[Match, ...] = ()
    progress: Progress | None = None
    tail: tuple[str, ...] = ()
    last: Stamp | None = None  # the newest time in the log

    @property
    def cause(self) -> Match | None:
        """The match that explains the end, or what the engine waits for; None where only symptoms are known."""
        best = self.matches[0] if self.matches else None
        return best if best and not best.past and best.signature.sense >= Sense.WAITING else None


@dataclass(frozen=True, slots=True)
class _Hit:
    signature: Signature
    index: int  # of the line
    literal: str
    values: dict[str, str]


def read(log: str) -> Reading:
    """`log` as the API server gives it, of any length and content. Never raises."""
    lines = clean(log)
    course = follow(lines)
    flat = " ".join(line.text for line in lines)
    starts = (0, *accumulate(len(line.text) + 1 for line in lines))
    hits = _best_of_each_line(_hits(flat, starts, course))
    found = [_match(group, lines, course) for group in _by_signature(hits, course)]
    tail = tuple(_quote(line.text[:_LONGEST_PART]) for line in lines[-TAIL_LINES:])
    return Reading(tuple(sorted(found, key=_order)), course.progress, tail, last_stamp(lines))


def _hits(flat: str, starts: Sequence[int], course: Course) -> Iterator[_Hit]:
    for signature in SIGNATURES:
        for literal in signature.says:
            at = flat.find(literal)
            for _ in range(_MOST_HITS):
                if at < 0:
                    break
                index = bisect_right(starts, at) - 1
                if (values := _values(signature, flat, starts, index, at, course)) is not None:
                    yield _Hit(signature, index, literal, values)
                at = flat.find(literal, at + len(literal))


def _values(
    signature: Signature, flat: str, starts: Sequence[int], index: int, at: int, course: Course
) -> dict[str, str] | None:
    """What fills the signature's sentences; None where the line is not that signature after all."""
    phase = course.phase_at(index)
    if signature.during and phase not in signature.during:
        return None
    raw: dict[str, str] = {}
    if signature.pattern is not None:
        end = starts[min(index + 1 + _FOLLOWING, len(starts) - 1)]
        found = signature.pattern.search(flat, max(starts[index], at - _BEFORE), min(end, at + _AFTER))
        if found is None:
            return None
        raw = {name: text for name, text in found.groupdict().items() if text}
    derived = signature.derive(raw) if signature.derive else {}
    if derived is None:
        return None
    values = {name: _quote(text, _LONGEST_VALUE) for name, text in (*raw.items(), *derived.items())}
    return {"phase": f"while {DOING[phase]}", **values} if phase and phase is not Phase.WAITING else values


def _best_of_each_line(hits: Iterator[_Hit]) -> list[_Hit]:
    """A line means one thing: what explains most, then what says more of the line, then what the table has first."""
    best: dict[int, _Hit] = {}
    for hit in hits:
        known = best.get(hit.index)
        if known is None or _weight(hit) > _weight(known):
            best[hit.index] = hit
    return [best[index] for index in sorted(best)]


def _weight(hit: _Hit) -> tuple[int, int, int]:
    return (*hit.signature.depth, len(hit.literal))


def _by_signature(hits: Sequence[_Hit], course: Course) -> list[list[_Hit]]:
    """The hits of each signature; a wait that is over is left out."""
    groups: dict[str, list[_Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.signature.id, []).append(hit)
    return [
        group
        for group in groups.values()
        if group[0].signature.sense is not Sense.WAITING or not course.moved_on(group[-1].index)
    ]


def _match(group: Sequence[_Hit], lines: Sequence[Line], course: Course) -> Match:
    """The first of a fault is nearest to its cause, the last of a wait or a notice is how it stands now."""
    signature = group[0].signature
    present = [hit for hit in group if hit.index >= course.begins] or group
    shown = present[-1] if signature.sense in (Sense.WAITING, Sense.NOTICE) else _fullest(present)
    return Match(
        signature=signature,
        line=_quote_at(lines[shown.index].text, shown.literal),
        cause=fill(signature.cause, shown.values),
        remedies=tuple(
            Remedy(fill(one.action, shown.values), fill(one.command, shown.values)) for one in signature.remedies
        ),
        count=len(present),
        past=present[-1].index < course.begins and signature.sense is not Sense.NOTICE,
        stamp=next((line.stamp for line in reversed(lines[: shown.index + 1]) if line.stamp), None),
    )


def _fullest(hits: Sequence[_Hit]) -> _Hit:
    """The first; one of the lines right after it, where that tells more: a message may name its object only then."""
    near = [hit for hit in hits if hit.index - hits[0].index <= _FULLER_WITHIN]
    return max(near, key=lambda hit: len(hit.values))


def _order(match: Match) -> tuple[bool, int, int]:
    """Sorting is stable and matches come in the order of their first lines: of equals the earlier explains more."""
    sense, rank = match.signature.depth
    return (match.past, -sense, -rank)


def _quote_at(text: str, literal: str) -> str:
    """A line that holds `literal`; of a very long one the part around it, cut where a word begins."""
    at = text.find(literal)
    if len(text) <= 2 * LONGEST_QUOTE or at <= _LEAD:
        return _quote(text[:_LONGEST_PART])
    begin = text.find(" ", at - _LEAD, at) + 1 or at
    return _quote(text[begin : begin + _LONGEST_PART])


def _quote(text: str, longest: int = LONGEST_QUOTE) -> str:
    return inert(mask(text), longest)
