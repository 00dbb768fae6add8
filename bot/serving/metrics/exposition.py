"""Lines of Prometheus' text format, as far as the names go that are known.

prometheus/docs:content/docs/instrumenting/exposition_formats.md. Nothing of a page is trusted: it may be long, cut,
no text at all, or say a series twice.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from bot.domain.pattern import Pattern
from bot.serving.metrics.names import FAMILIES, Form, Name, table

LONGEST = 8 * 2**20  # characters; vLLM's page has about 80,000
LINE_LONGEST = 4_000
SAMPLES_MOST = 20_000
MARK = "# gpubot:"  # begins a line of ours, see `bot.serving.metrics.read.marked`
_LABEL = Pattern(r'([A-Za-z_]\w{0,60})="((?:[^"\\]|\\.){0,300})"')
_ESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
_ESCAPE = Pattern(r'\\[\\"n]')


class Sample(NamedTuple):
    """One value of one series. `part`: of a histogram (`bucket`, `sum`, `count`); `at`: in ms, None where not told."""

    name: Name
    part: str
    labels: str  # as they stand there, without braces
    value: float
    at: int | None


def samples(text: str) -> Iterator[Sample]:
    """Those with a known name and a finite value. Never raises."""
    known = table()
    left = SAMPLES_MOST
    for line in text[:LONGEST].split("\n"):
        if not line.startswith(FAMILIES):
            continue
        name, brace, rest = line.partition("{")
        if not brace:
            name, _, rest = line.partition(" ")
        found = known.get(name)
        if found is None or len(line) > LINE_LONGEST:
            continue
        one = _sample(found, name, rest, bool(brace))
        if one is None:
            continue
        yield one
        left -= 1
        if not left:
            return


def condensed(text: str) -> str:
    """Only the lines that `samples` reads: a fifth of a page."""
    known = table()
    kept = [
        line
        for line in text[:LONGEST].split("\n")
        if line.startswith(FAMILIES) and (line.partition("{")[0] in known or line.partition(" ")[0] in known)
    ]
    return "\n".join(kept)


def labels_of(text: str) -> dict[str, str]:
    """`model_name="glm",engine="0"`; of a name that stands there twice the last counts."""
    return {name: _plain(value) for name, value in _LABEL.findall(text)}


def label_of(text: str, name: str) -> str:
    """One of them, without looking at the others where that can be."""
    start = text.find(f'{name}="')
    if start < 0 or (start and text[start - 1] not in ", "):
        return labels_of(text).get(name, "")
    begin = start + len(name) + 2
    end = text.find('"', begin)
    value = text[begin:end]
    return labels_of(text).get(name, "") if end < 0 or "\\" in value else value


def _plain(value: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED[found[0]], value) if "\\" in value else value


def _sample(name: Name, said: str, rest: str, braces: bool) -> Sample | None:
    """`rest` is what follows the name: labels, value and perhaps a time in milliseconds."""
    labels, closed, figures = rest.rpartition("}") if braces else ("", "}", rest)
    words = figures.split()
    if not closed or not 1 <= len(words) <= 2:
        return None
    value = _number(words[0])
    at = _whole(words[1]) if len(words) == 2 else None
    if value is None or (len(words) == 2 and at is None):
        return None
    part = said.rpartition("_")[2] if name.form is Form.HISTOGRAM else ""
    return Sample(name, part, labels, value, at)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 and len(text) <= 40 else None


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 15 else None
