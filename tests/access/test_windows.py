"""When changes may be made, by the clock on the wall."""

from datetime import UTC, datetime

import pytest

from bot.access.windows import is_open, opens_at, parse

WORKDAY, NIGHT = "Mon-Fri 09:00-17:00 Europe/Berlin", "Sat,Sun 22:00-04:00 UTC"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-{text}").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("windows", "now", "opened"),
    [
        pytest.param([], "11-30T03:00", True, id="without windows always"),
        pytest.param([WORKDAY], "11-30T08:00", True, id="it begins with its first minute (Monday, UTC+1)"),
        pytest.param([WORKDAY], "11-30T07:59", False, id="not before"),
        pytest.param([WORKDAY], "11-30T15:59", True, id="until its last minute"),
        pytest.param([WORKDAY], "11-30T16:00", False, id="its end is outside"),
        pytest.param([WORKDAY], "07-06T07:00", True, id="in summer an hour earlier by UTC"),
        pytest.param([WORKDAY], "11-29T10:00", False, id="on another day"),
        pytest.param([NIGHT], "11-29T23:00", True, id="Sunday night"),
        pytest.param([NIGHT], "11-30T03:59", True, id="which ends on Monday"),
        pytest.param([NIGHT], "11-30T04:00", False, id="at four"),
        pytest.param([NIGHT], "11-28T03:00", False, id="Friday night is none"),
        pytest.param([WORKDAY, NIGHT], "11-30T03:00", True, id="one of several is enough"),
        pytest.param(["Fri-Mon 00:00-00:00 UTC"], "11-30T12:00", True, id="days over the weekend, whole days"),
        pytest.param(["Fri-Mon 00:00-00:00 UTC"], "12-01T12:00", False, id="but not on Tuesday"),
        pytest.param(["daily 01:00-02:00 UTC"], "12-01T01:30", True, id="daily"),
    ],
)
def test_a_window_is_open(windows: list[str], now: str, opened: bool) -> None:
    assert is_open([parse(text) for text in windows], utc(now)) is opened


def test_the_next_one_is_told() -> None:
    both = [parse(WORKDAY), parse(NIGHT)]
    assert opens_at(both, utc("11-27T18:00")) == utc("11-28T22:00")
    assert opens_at([parse(WORKDAY)], utc("11-27T18:00")) == utc("11-30T08:00")
    assert opens_at([], utc("11-27T18:00")) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("always", "'always' is no window: write it as", id="no window at all"),
        pytest.param("Mon-Fri 9-17 UTC", "write it as", id="hours without minutes"),
        pytest.param("Mon-Fri 09:00-25:00 UTC", "is no window (", id="an hour that does not exist"),
        pytest.param("Mo-Fr 09:00-17:00 UTC", "no day is called 'Mo'", id="days in another language"),
        pytest.param("Mon 09:00-17:00 Mars/North", "No time zone found", id="a place that does not exist"),
        pytest.param("Mon 09:00-17:00 ../../etc/passwd", "is no window (", id="a path"),
    ],
)
def test_what_is_no_window(text: str, said: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # its words are looked at
        parse(text)
    assert said in str(raised.value)
