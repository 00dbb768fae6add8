"""The table of known words: which plugin says what, in which releases, and whether evicting pods may cure it.

The lines stand in `kube_scheduler.txt` and `others.txt` beside this file, each with its source.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files

from bot.domain.pattern import Pattern

OLDEST, NEWEST = 22, 37  # minor releases of Kubernetes 1 that the table speaks of
EVERY_RELEASE = range(OLDEST, NEWEST + 1)

FRAMEWORK = "framework"  # owner of what belongs to no plugin
NAMED = "<plugin>"  # owner of what names its plugin itself
_EVICTING = {"yes": True, "no": False, "?": None}

_PLACEHOLDER = Pattern(r"<([a-z]+)>")
_WORD = r'[^\s,"]+'
_ANYTHING = r".*"
_NUMBER = r"[0-9]+"
_SHAPES = {
    **dict.fromkeys("cause condition error features groups resources target what why".split(), _ANYTHING),
    **dict.fromkeys("count gated minimum number remaining scheduled tasks unschedulable victims".split(), _NUMBER),
    **dict.fromkeys(("gates", "plugins"), r"[^\]]*"),
    "overhead": r"[^}]*",
    "key": r"[^\s:{}]+",
    "value": r"[^\s{}]+",
}


class Stage(Enum):
    """Where in a scheduling cycle, or by whom else, something is said."""

    PREENQUEUE = "preenqueue"  # keeps the pod out of the queue; seen in the scheduler's log only
    PREFILTER = "prefilter"  # of the pod, before any node is looked at
    FRAMEWORK = "framework"  # of nodes that PreFilter had left out already
    FILTER = "filter"  # of a node
    PERMIT = "permit"  # after a node was found
    PREEMPTION = "preemption"  # of a node, in preemption's dry run
    POSTFILTER = "postfilter"  # of what was tried after no node was found
    NOISE = "noise"  # as POSTFILTER, but it tells nobody anything
    NOTICE = "notice"  # a whole message
    ERROR = "error"  # a whole message: the scheduler itself failed
    GROUP = "group"  # somebody else, of a node or a node group
    OTHER = "other"  # somebody else's whole message


class Place(Enum):
    """Where in a message a text may stand."""

    BODY = "body"
    TAIL = "tail"
    WHOLE = "whole"


_PLACES = {
    Stage.POSTFILTER: Place.TAIL,
    Stage.NOISE: Place.TAIL,
    Stage.NOTICE: Place.WHOLE,
    Stage.ERROR: Place.WHOLE,
    Stage.OTHER: Place.WHOLE,
}


@dataclass(frozen=True, slots=True)
class Known:
    """One line of the table.

    `text` and `words` hold <placeholders>. `resolvable`: may evicting pods cure it? None where the text alone cannot
    tell. `releases` are minor releases; a range without a gap, where the truth may have one.
    """

    stage: Stage
    owner: str
    releases: range
    resolvable: bool | None
    text: str
    words: str
    source: str
    pattern: Pattern | None  # None: the text is literal

    @property
    def place(self) -> Place:
        return _PLACES.get(self.stage, Place.BODY)

    @property
    def foreign(self) -> bool:
        return self.stage in (Stage.GROUP, Stage.OTHER)


@cache
def table() -> tuple[Known, ...]:
    """All lines, in their order."""
    return tuple(known for name in ("kube_scheduler.txt", "others.txt") for known in _lines(name))


def find(place: Place, text: str) -> tuple[Known, Mapping[str, str]] | None:
    """The line that the whole of `text` is an instance of, and what stands for its placeholders."""
    if known := _literals().get((place, text)):
        return known, {}
    for known, pattern in _patterns(place):
        if match := pattern.fullmatch(text):
            return known, match.groupdict()
    return None


@cache
def _literals() -> Mapping[tuple[Place, str], Known]:
    return {(known.place, known.text): known for known in reversed(table()) if known.pattern is None}


@cache
def _patterns(place: Place) -> tuple[tuple[Known, Pattern], ...]:
    return tuple((known, known.pattern) for known in table() if known.place is place and known.pattern)


def _lines(name: str) -> Iterator[Known]:
    for line in files(__package__).joinpath(name).read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield _known([cell.strip() for cell in line.split(" | ")])


def _known(cells: list[str]) -> Known:
    """A line of seven cells, or of five where releases and evicting do not apply."""
    stage, owner, *when, text, words, source = cells
    releases, evict = when or (f"{OLDEST}-{NEWEST}", "?")
    first, last = (int(minor) for minor in releases.split("-"))
    return Known(
        stage=Stage(stage),
        owner=owner,
        releases=range(first, last + 1),
        resolvable=_EVICTING[evict],
        text=text,
        words=words,
        source=source,
        pattern=_pattern(text),
    )


def _pattern(text: str) -> Pattern | None:
    literals = _PLACEHOLDER.split(text)
    if len(literals) == 1:
        return None
    pieces = [
        re.escape(piece) if position % 2 == 0 else f"(?P<{piece}>{_SHAPES.get(piece, _WORD)})"
        for position, piece in enumerate(literals)
    ]
    return Pattern("".join(pieces), re.DOTALL)
