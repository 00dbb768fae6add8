"""What is typed after `/scale`: numbers, directions, times, reasons, and one sentence for whatever is odd."""

from datetime import UTC, datetime

import pytest

from bot.domain.errors import UsageError
from bot.grammar import parse
from bot.scaling.wish import MOST, wish
from tests.factories import NOW


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "now", "replicas"),
    [
        pytest.param("glm 4", 2, 4, id="a number"),
        pytest.param("glm +2", 2, 4, id="more"),
        pytest.param("glm -1", 2, 1, id="fewer"),
        pytest.param("glm \N{MINUS SIGN}1", 2, 1, id="fewer, with the minus that a phone types"),
        pytest.param("glm to 0", 2, 0, id="to none"),
        pytest.param("glm = 3", 2, 3, id="equals"),
        pytest.param("glm up 2", 2, 4, id="up"),
        pytest.param("glm down by 1", 2, 1, id="down"),
        pytest.param("glm to 3 replicas", 2, 3, id="a whole sentence"),
        pytest.param("glm \N{FULLWIDTH DIGIT FOUR}", 2, 4, id="a full-width digit"),
        pytest.param("glm 007", 2, 7, id="leading zeros"),
    ],
)
def test_a_number_is_understood(typed: str, now: int, replicas: int) -> None:
    asked = wish(parse(typed).words, NOW)
    assert asked.name == "glm"
    assert asked.replicas(now) == replicas


@pytest.mark.parametrize(
    ("typed", "name", "number"),
    [
        pytest.param("deployment glm 4", "deployment/glm", 4, id="a kind and a name"),
        pytest.param("sts llm/glm to 4", "sts/llm/glm", 4, id="a kind, a namespace and a name"),
        pytest.param("4 glm", "glm", 4, id="the number first"),
        pytest.param("glm from 2 to 4", "glm", 4, id="from and to"),
        pytest.param("rs 4", "rs", 4, id="a name that is a kind's"),
        pytest.param("lws up 1", "lws", 1, id="a name that is a kind's, and a direction"),
        pytest.param("7 4", "7", 4, id="a name of digits"),
    ],
)
def test_as_people_say_it(typed: str, name: str, number: int) -> None:
    asked = wish(typed.split(), NOW)
    assert (asked.name, asked.number) == (name, number)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        pytest.param("glm", "How many replicas", id="no number"),
        pytest.param("glm 1e9", "“1e9” is no number of replicas", id="an exponent"),
        pytest.param("glm 4.5", "“4.5” is no number of replicas", id="a fraction"),
        pytest.param("glm four", "“four” is no number of replicas", id="a word"),
        pytest.param("glm \N{ARABIC-INDIC DIGIT FOUR}", "is no number of replicas", id="a digit of another script"),
        pytest.param("glm 4\N{CYRILLIC SMALL LETTER O}", "is no number of replicas", id="a letter that looks like 0"),
        pytest.param("glm 0x10", "“0x10” is no number of replicas", id="hexadecimal"),
        pytest.param("glm --1", "“1” is no length|How many|no number", id="two signs"),
        pytest.param("glm 99999999999999", "more than gpubot takes for meant", id="huge"),
        pytest.param("glm 9999999999999999999999", "is no number of replicas", id="longer than any number"),
        pytest.param(f"glm {MOST + 1}", "more than gpubot takes for meant", id="one too many"),
        pytest.param("glm 4 5", "One thing and one number at a time", id="two numbers"),
        pytest.param("glm up +2", "a sign and a direction", id="twice a direction"),
        pytest.param("because it is slow", "Scale what", id="only a reason"),
    ],
)
def test_an_odd_number_is_one_sentence(typed: str, says: str) -> None:
    words = parse(typed)
    with pytest.raises(UsageError, match=says):
        wish(words.words, NOW)


@pytest.mark.parametrize(
    ("number", "now", "says"),
    [
        pytest.param("-5", 2, "has 2, so 5 fewer cannot be", id="fewer than none"),
        pytest.param(f"+{MOST}", 2, "more than gpubot takes for meant", id="more than anybody has"),
    ],
)
def test_a_difference_stays_within_what_can_be(number: str, now: int, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        wish(("glm", number), NOW).replicas(now)


@pytest.mark.parametrize(
    ("typed", "ends"),
    [
        pytest.param("until 18:00", "2026-11-30T18:00", id="today"),
        pytest.param("until 6pm", "2026-11-30T18:00", id="with pm"),
        pytest.param("until 18:00 UTC", "2026-11-30T18:00", id="with its zone"),
        pytest.param("until 18:00+02:00", "2026-11-30T16:00", id="with an offset"),
        pytest.param("until tomorrow 9:00", "2026-12-01T09:00", id="tomorrow"),
        pytest.param("until 2026-12-02 08:30", "2026-12-02T08:30", id="a date"),
        pytest.param("until 2026-12-02T08:30", "2026-12-02T08:30", id="in one piece"),
        pytest.param("for 3h", "2026-11-30T15:00", id="hours"),
        pytest.param("for 1h30m", "2026-11-30T13:30", id="hours and minutes"),
        pytest.param("for 2 hours", "2026-11-30T14:00", id="in words"),
        pytest.param("for 90 minutes", "2026-11-30T13:30", id="minutes in words"),
    ],
)
def test_an_end_is_understood(typed: str, ends: str) -> None:
    asked = wish(f"glm 4 {typed} because of a launch".split(), NOW)
    assert asked.until == _at(ends)
    assert asked.because == "of a launch"


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        pytest.param("until 11:00", r"2026-11-30 11:00 UTC is past .*until tomorrow 11:00", id="past today"),
        pytest.param("until today 11:00", r"2026-11-30 11:00 UTC is past", id="past, and said to be today"),
        pytest.param("until 12:00", r"is past", id="this very minute"),
        pytest.param("until 25:00", "is no time", id="no hour"),
        pytest.param("until 13pm", "is no time", id="pm after noon"),
        pytest.param("until friday", "is no time", id="a day of the week"),
        pytest.param("until", "`until` what", id="nothing"),
        pytest.param("for ever", "is no length of time", id="for ever"),
        pytest.param("for 0h", "is no length of time", id="no time at all"),
        pytest.param("for 31d", "at most 30 days", id="too long"),
    ],
)
def test_an_odd_end_is_one_sentence(typed: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        wish(f"glm 4 {typed}".split(), NOW)


def test_a_reason_may_hold_anything() -> None:
    asked = wish("glm 4 because we go from 2 to 8 until friday".split(), NOW)
    assert asked.number == 4
    assert asked.until is None
    assert asked.because == "we go from 2 to 8 until friday"
