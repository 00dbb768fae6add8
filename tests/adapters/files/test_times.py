"""Times that people type, and the newest time that an object tells."""

from datetime import UTC, date, datetime

import pytest

from bot.adapters.files.times import newest_noted, parse_time
from bot.domain.errors import ConfigError

DAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026-11-30T12:00:00Z", datetime(2026, 11, 30, 12, tzinfo=UTC), id="RFC 3339"),
        pytest.param("2026-11-30t12:00:00z", datetime(2026, 11, 30, 12, tzinfo=UTC), id="in small letters"),
        pytest.param("2026-11-30T12:00:00+02:00", datetime(2026, 11, 30, 10, tzinfo=UTC), id="with an offset"),
        pytest.param("2026-11-30 12:00 +02:00", datetime(2026, 11, 30, 10, tzinfo=UTC), id="as people write it"),
        pytest.param("2026-11-30T12:00:00.123456789Z", datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC), id="with nanoseconds"),
        pytest.param("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC), id="a date is its first moment"),
        pytest.param(" 9:05 ", datetime(2026, 11, 30, 9, 5, tzinfo=UTC), id="a time of the folder's day"),
        pytest.param("23:59:30", datetime(2026, 11, 30, 23, 59, 30, tzinfo=UTC), id="to the second"),
    ],
)  # fmt: skip
def test_understands(text: str, expected: datetime) -> None:
    assert parse_time(text, day=DAY) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("2026-11-30T12:00:00", "does not say its time zone", id="no zone"),
        pytest.param("2026-02-31", "is not a time: ", id="a day that is none"),
        pytest.param("25:00", "is not a time: ", id="an hour that is none"),
        pytest.param("0001-01-01T00:00:00+14:00", "is not a time: ", id="before all time"),
        pytest.param("yesterday", "is not a time: write 2026-11-30T12:00:00Z", id="a word"),
        pytest.param("1764504000", "is not a time: write", id="a bare number"),
        pytest.param("", "'' is not a time", id="nothing"),
        pytest.param("x" * 500, "is not a time", id="a long text is not repeated whole"),
    ],
)
def test_refuses(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as raised:
        parse_time(text, day=DAY)
    assert len(str(raised.value)) < 160


def test_a_time_of_day_needs_a_day() -> None:
    with pytest.raises(ConfigError):
        parse_time("12:00")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param('{"creationTimestamp":"2026-11-30T08:00:00Z"}', 8, id="created"),
        pytest.param('{"a":{"lastTransitionTime":"2026-11-30T09:00:00Z"},"creationTimestamp":"2026-11-30T08:00:00Z"}', 9, id="the newest of several"),
        pytest.param('{"eventTime": "2026-11-30T11:00:00.000001Z"}', 11, id="with microseconds and a blank"),
        pytest.param('{"deletionTimestamp":"2026-11-30T13:00:00Z"}', None, id="a deletion may lie ahead"),
        pytest.param('{"notAfter":"2027-11-30T13:00:00Z"}', None, id="the end of a certificate lies ahead"),
        pytest.param(r'{"note":"{\"creationTimestamp\":\"2026-11-30T08:00:00Z\"}"}', None, id="an object inside a text"),
        pytest.param('{"time":"2026-02-31T08:00:00Z"}', None, id="a day that is none"),
        pytest.param('{"time":null}', None, id="none"),
    ],
)  # fmt: skip
def test_newest_noted(raw: str, expected: int | None) -> None:
    newest = newest_noted(raw.encode())
    assert (newest and newest.hour) == expected
