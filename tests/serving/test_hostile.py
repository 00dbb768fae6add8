"""Logs that want to break the reader: it never raises, and the time stays bounded whatever is in them."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.serving.answers import count_answers
from bot.serving.bar import read_bar
from bot.serving.load import read_load
from bot.serving.mask import mask
from bot.serving.reading import LONGEST_QUOTE, read
from bot.serving.signatures import SIGNATURES

MIB = 2**20
SLOWEST_SECONDS = 5.0  # of processor time, on a busy machine; the usual is below one
LITERALS = [literal for signature in SIGNATURES for literal in signature.says]


def _binary(length: int) -> str:
    return random.Random(1).randbytes(length).decode("utf-8", errors="replace")


@pytest.mark.parametrize(
    "log",
    [
        pytest.param("a" * 4 * MIB, id="one letter"),
        pytest.param("(" * MIB, id="brackets"),
        pytest.param(" " * MIB + "\n", id="blanks"),
        pytest.param("\n" * MIB, id="nothing but line ends"),
        pytest.param("\x1b[" * MIB, id="colours that never end"),
        pytest.param("\x1b[31m" * MIB, id="colours only"),
        pytest.param(_binary(MIB), id="binary"),
        pytest.param("{" * MIB + "}", id="JSON that never ends"),
        pytest.param(("[" * 8000 + "}\n{") * 30, id="nested JSON"),
        pytest.param("[rank3]: " * MIB, id="prefixes without a line"),
        pytest.param("2026-11-30 11:00:00 " * 50_000, id="stamps only"),
        pytest.param("token" * MIB, id="a name of a secret that never ends"),
        pytest.param("token=" * 200_000, id="secrets without values"),
        pytest.param("key=a1" * 200_000, id="keys without blanks"),
        pytest.param("eyJ" * MIB, id="something like web tokens"),
        pytest.param("://a:" * 300_000, id="addresses without an end"),
        pytest.param("-----BEGIN PRIVATE KEY-----" * 40_000, id="private keys without an end"),
        pytest.param('"GET /' + "a" * MIB, id="an access line without an end"),
        pytest.param('"GET /x ' * 100_000 + 'HTTP/', id="access lines without an end"),
        pytest.param("Loading safetensors checkpoint shards: 1% 1/2 [0:0" * 20_000, id="bars in one line"),
        pytest.param("Loading safetensors checkpoint shards: 50% Completed | 1/2\r" * 20_000, id="a bar that is drawn again and again"),
        pytest.param("CUDA out of memory. Tried to allocate " * 20_000, id="a message that repeats itself"),
        pytest.param("for url: https://" * 20_000, id="addresses"),
        pytest.param(" ".join(LITERALS) * 20, id="every known text in one line"),
        pytest.param("\n".join(LITERALS * 20), id="every known text in lines"),
        pytest.param("specs for 1 seconds. specs=[" + "{'GPU': 1.0}, " * 60_000, id="a list without an end"),
    ],
)  # fmt: skip
def test_no_log_is_too_much(log: str) -> None:
    began = time.process_time()
    reading = read(log)
    assert time.process_time() - began < SLOWEST_SECONDS
    for text in (*reading.tail, *(match.line for match in reading.matches)):
        assert len(text) <= LONGEST_QUOTE
        assert text.isprintable()


@pytest.mark.parametrize(
    "piece",
    ["token", "a=", "://a:", "eyJa.", "--key ", "Bearer ", "'", '"', "[", "hf_", "AKIA", "-----BEGIN PRIVATE KEY-----"],
)
def test_masking_is_linear(piece: str) -> None:
    began = time.process_time()
    mask(piece * (MIB // len(piece)))
    assert time.process_time() - began < SLOWEST_SECONDS


@given(
    st.lists(
        st.one_of(
            st.sampled_from(LITERALS), st.text(max_size=30), st.sampled_from(["\n", "\r", " (1", "[2]", "{x}", "\x1b["])
        ),
        max_size=30,
    )
)
@settings(max_examples=150, deadline=None)
def test_any_mixture_of_known_texts_is_read(parts: list[str]) -> None:
    reading = read("".join(parts))
    for match in reading.matches:
        assert match.cause
        assert match.count >= 1


@given(st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_text_has_figures_or_none(text: str) -> None:
    read_bar(text)
    read_load(text)
    count_answers([text])
    assert mask(mask(text)) == mask(text)


def test_only_the_end_of_a_long_log_is_read() -> None:
    assert not read("CUDA error: device-side assert triggered\n" + "fine\n" * MIB).matches
    assert read("fine\n" * MIB + "CUDA error: device-side assert triggered\n").matches


def test_foreign_text_in_a_sentence_is_inert() -> None:
    match = read("RuntimeError: Cannot find any model weights with `/models/<!channel>\u202e[{path}]`").matches[0]
    assert "<!" not in match.cause
    assert "\u202e" not in match.cause
    assert "[{path}]" in match.cause
