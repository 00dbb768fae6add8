"""Numbers and lists in words."""

import pytest

from bot.domain.words import count, duration, names


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.84, "0.8 s"),
        (34.4, "34 s"),
        (60, "1 min"),
        (332, "5 min"),
        (3600, "1 h"),
        (7800, "2 h 10 min"),
        (97_200, "1 d 3 h"),
        (10**9, "11,574 d 1 h"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (list("abcdefg"), "a, b, c and 4 more"),
    ],
)
def test_names(items: list[str], words: str) -> None:
    assert names(items) == words


def test_counts() -> None:
    assert (count(1, "node"), count(2, "node"), count(5000, "GPU")) == ("1 node", "2 nodes", "5,000 GPUs")
