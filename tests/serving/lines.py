"""What a table of lines is made of, and the checks that every such table shares."""

import re
from typing import NamedTuple

import pytest

from bot.serving.reading import Match, read
from bot.serving.template import UNKNOWN


class Said(NamedTuple):
    """A log, the signature that must explain it, and the whole sentence that must come out."""

    signature: str
    log: str
    cause: str
    remedy: str = ""  # must be in the first remedy


def params(table: tuple[Said, ...]) -> list[object]:
    """The expected sentence is the test's name."""
    return [pytest.param(said, id=f"{said.signature}: {said.cause}"[:150]) for said in table]


def check(said: Said) -> None:
    best = best_of(said.log)
    assert best.signature.id == said.signature
    assert best.cause == said.cause
    assert said.remedy in best.remedies[0].action
    for text in (best.cause, *(part for one in best.remedies for part in (one.action, one.command))):
        assert UNKNOWN not in text.split(), text
        assert not re.search(r"\{[a-z_]+\}|\[\W*\]", text), text


def best_of(log: str) -> Match:
    matches = read(log).matches
    assert matches, "no line was recognised"
    return matches[0]
