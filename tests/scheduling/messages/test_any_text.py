"""Whatever is written there: nothing raises, nothing is lost, nothing takes long."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.scheduling.messages import parse, sentence
from bot.scheduling.messages.table import table

PIECES = [
    *(known.text for known in table()),
    "0/3 nodes are available:",
    "0/3 nodes are unavailable:",
    "preemption: 0/3 nodes are available:",
    "pod didn't trigger scale-up:",
    *" , ; : . .. ... 3 03 not found 99999999999 ٣ \n \x00 <!channel> { } [ ]".split(" "),
    " ",
    ", ",
    ". ",
    ", 4 ",
    " ...",
]
SCRAMBLED = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
HISTOGRAMS = st.lists(
    st.tuples(st.integers(0, 500), st.sampled_from(table()).map(lambda known: known.text)), max_size=9
).map(lambda items: "0/3 nodes are available: " + ", ".join(f"{count} {text}" for count, text in items) + ".")


@settings(deadline=None)  # a busy machine is no fault
@given(st.text() | SCRAMBLED | HISTOGRAMS | st.tuples(HISTOGRAMS, SCRAMBLED).map(" ".join))
def test_nothing_raises_and_nothing_is_lost(text: str) -> None:
    said = parse(text)
    assert str(said) == text.strip()
    assert said.releases is not None
    for reason in said.reasons:
        assert sentence(reason).isprintable()
        assert str(reason) in text
        assert reason.known is not None or reason.plugin is None


HOSTILE = [
    pytest.param("0/1 nodes are available: " + "1 a, " * 60_000, id="many reasons"),
    pytest.param("0/1 nodes are available: " + "a. " * 100_000, id="many dots"),
    pytest.param("0/1 nodes are available: 1 a. " + "preemption: 0/1 nodes are available: 1 a. " * 8_000, id="nested"),
    pytest.param("0/1 nodes are available: 1 Insufficient " + "a" * 300_000 + " ", id="a long name"),
    pytest.param("claim " * 60_000, id="one word again and again"),
    pytest.param("running " + "a on " * 60_000, id="a pattern's middle again and again"),
    pytest.param("9" * 300_000 + "/1 nodes are available: 1 a.", id="a long number"),
    pytest.param(". " * 150_000, id="only dots"),
    pytest.param(", 1 " * 80_000, id="only commas"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_long_texts_do_not_take_long(text: str) -> None:
    started = time.process_time()
    assert str(parse(text)) == text.strip()
    assert time.process_time() - started < 3
