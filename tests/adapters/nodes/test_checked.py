"""Whether a reading is of that node and of now, by whatever clock it was taken."""

import json
from datetime import timedelta

import pytest

from bot.adapters.nodes.checked import checked
from bot.adapters.nodes.told import NotToldError, Told
from bot.gpu import reading as readings
from tests.adapters.nodes.fakes import NOW, reading


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(reading(), id="taken two seconds ago"),
        pytest.param(reading(ahead_seconds=59), id="a clock that is a little ahead"),
        pytest.param(reading(ahead_seconds=-59), id="a clock that is a little behind"),
        pytest.param(reading(age_seconds=900), id="an old reading of a right clock"),
        pytest.param(reading(age_seconds=None, ahead_seconds=-9_000), id="an old reading without an age"),
        pytest.param(reading(takenAt="yesterday"), id="a time that is none"),
        pytest.param(reading(takenAt=7, ageSeconds="2", node=None, agentVersion=[]), id="wrong types"),
        pytest.param(reading(ageSeconds=-5), id="an age before now"),
        pytest.param(reading(ageSeconds=1e300), id="an age beyond all time"),
        pytest.param(reading(ageSeconds=True), id="an age that is a flag"),
        pytest.param(reading(takenAt="0001-01-01T00:00:00+14:00", ageSeconds=None), id="the first day"),
        pytest.param(reading(agentVersion="0.1.99"), id="a patch of the same version"),
        pytest.param(b'[{"index": 0}]', id="a list of GPUs"),
        pytest.param(b"{}", id="an empty object"),
    ],
)
def test_what_is_plain_is_left_as_it_came(data: bytes) -> None:
    assert checked(data, "gpu-1", NOW) == Told(data)


@pytest.mark.parametrize(
    ("data", "words", "age_seconds"),
    [
        (reading(ahead_seconds=3_600), "its clock is 1 h ahead: the time is reckoned anew", 2.0),
        (reading(ahead_seconds=-7_200), "its clock is 2 h behind: the time is reckoned anew", 2.0),
        (reading(ahead_seconds=3_600, age_seconds=900), "its clock is 1 h ahead: the time is reckoned anew", 900.0),
        (
            reading(ahead_seconds=600, age_seconds=None),
            "its clock is 10 min ahead: how old the reading is, is not known",
            None,
        ),
        (
            reading(takenAt="9999-12-31T23:59:59-14:00", ageSeconds=1),
            "ahead: the time is reckoned anew",
            1.0,
        ),
    ],
)
def test_a_clock_that_is_off_is_told_and_reckoned_with(data: bytes, words: str, age_seconds: float | None) -> None:
    told = checked(data, "gpu-1", NOW)
    assert told.trouble.endswith(words)
    assert told.data is not None
    read = readings.read(told.data, "gpu-1")
    assert read.age_seconds(NOW) == age_seconds
    assert [gpu.uuid for gpu in read.gpus] == ["GPU-1"]
    assert not read.trouble


def test_another_version_and_a_wrong_clock_are_both_told() -> None:
    told = checked(reading(ahead_seconds=3_600, agentVersion="2.0.0\x1b[1m"), "gpu-1", NOW)
    assert told.trouble.startswith("its agent is of version 2.0.0[1m, gpubot of ")
    assert told.trouble.endswith("reckoned anew")


@pytest.mark.parametrize("data", [b"", b"{", b"null", b'"gpus"', b"[" * 9_999, b'{"node": ' + b"[" * 9_999])
def test_rubbish_is_no_reading(data: bytes) -> None:
    with pytest.raises(NotToldError, match="no JSON that an agent would write"):
        checked(data, "gpu-1", NOW)


def test_an_age_holds_against_the_given_time() -> None:
    later = NOW + timedelta(hours=1)
    told = checked(reading(), "gpu-1", later)
    assert json.loads(told.data or b"")["takenAt"] == (later - timedelta(seconds=2)).isoformat()
