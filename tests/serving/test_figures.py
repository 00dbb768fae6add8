"""Figures of several engines together: sums of what was told, and never a zero for what was not."""

from datetime import timedelta

import pytest

from bot.domain.engine import EngineReading, Histogram
from bot.domain.engine_window import EngineWindow
from bot.serving.error_lines import error_lines
from bot.serving.figures import BUCKETS, figures
from bot.views.model_chart import bar, spark
from tests.factories import NOW


def window(*tokens: float | None, waiting: float | None = 1.0, ttft: Histogram | None = None) -> EngineWindow:
    """A reading each half minute, the last one now."""
    return EngineWindow(
        tuple(
            EngineReading(
                taken_at=NOW - timedelta(seconds=30 * (len(tokens) - 1 - index)),
                engine="vllm",
                generated_tokens=total,
                waiting=waiting,
                ttft=ttft if index else Histogram((1.0, float("inf")), (0.0, 0.0)) if ttft else None,
            )
            for index, total in enumerate(tokens)
        )
    )


def test_rates_of_the_last_minute_are_added_up() -> None:
    seen = figures([window(0, 30_000, 30_300, 30_600), window(0, 0, 600, 1_200)])
    assert seen.tokens_per_second == pytest.approx(10 + 20)
    assert (seen.asked, seen.told, seen.partial) == (2, 2, False)
    assert seen.waiting == 2


@pytest.mark.parametrize(
    "windows",
    [
        pytest.param([], id="no engine"),
        pytest.param([None], id="one that was not told"),
        pytest.param([EngineWindow()], id="an empty window"),
        pytest.param([window(None, None)], id="one that does not count tokens"),
        pytest.param([window(5.0)], id="a single reading"),
    ],
)
def test_a_rate_that_is_not_known_is_no_zero(windows: list[EngineWindow | None]) -> None:
    assert figures(windows).tokens_per_second is None


def test_a_part_is_called_a_part() -> None:
    seen = figures([window(0, 300, 600), None])
    assert (seen.partial, seen.tokens_per_second) == (True, pytest.approx(10))


def test_latencies_of_engines_with_other_bounds_are_not_mixed() -> None:
    small, large = Histogram((1.0, float("inf")), (2.0, 2.0), 1.0), Histogram((9.0, float("inf")), (4.0, 8.0), 70.0)
    seen = figures([window(0, 1, 2, ttft=small), window(0, 1, 2, ttft=small), window(0, 1, 2)])
    assert seen.ttft is not None
    assert seen.ttft.count == 4
    mixed = figures([window(0, 1, 2, ttft=small), window(0, 1, 2, ttft=large)])
    assert mixed.ttft is not None
    assert mixed.ttft.bounds == large.bounds or mixed.ttft.count == 8


def test_a_course_has_the_same_length_whatever_was_told() -> None:
    courses = figures([window(0, 300, 600), window(0, 600)]).courses
    assert courses is not None
    assert {len(one) for one in courses.values()} == {BUCKETS}
    assert courses["tokens_per_second"][-1] == pytest.approx(10 + 20)
    assert courses["tokens_per_second"][0] == pytest.approx(10)


@pytest.mark.parametrize(
    ("values", "most", "drawn"),
    [
        pytest.param([0, 1, 2, 4], None, "▁▃▅█", id="up to the highest"),
        pytest.param([0.5, None, 1.0], 1.0, "▅·█", id="a gap"),
        pytest.param([0, 0], None, "▁▁", id="nothing happened"),
        pytest.param([None], None, "", id="nothing is known"),
    ],
)
def test_a_course_is_drawn(values: list[float | None], most: float | None, drawn: str) -> None:
    assert spark(values, most=most) == drawn


def test_a_bar_is_as_long_as_its_share() -> None:
    assert bar(50, 100) == "██████"
    assert bar(100, 100) == "█" * 12
    assert bar(0.001, 100) == "▌"
    assert bar(0, 0) == ""


@pytest.mark.parametrize(
    ("log", "lines"),
    [
        pytest.param("INFO fine\nall is well\n", (), id="nothing wrong"),
        pytest.param("ERROR a 1\nERROR a 2\nERROR b", ("ERROR a 2", "ERROR b"), id="the newest of those alike"),
        pytest.param("ERROR token=abcdefgh12345678", ("ERROR token=<masked>",), id="secrets are masked"),
        pytest.param("\x1b[31mERROR\x1b[0m red\u202e", ("ERROR red",), id="no colours, no direction"),
        pytest.param('10.0.0.1 "POST /v1" 500', ('10.0.0.1 "POST /v1" 500',), id="an answer with 500"),
        pytest.param("ValueError: x", ("ValueError: x",), id="an exception's last line"),
    ],
)
def test_lines_that_tell_of_errors(log: str, lines: tuple[str, ...]) -> None:
    assert error_lines(log) == lines
