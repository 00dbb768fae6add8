"""Prefixes of loggers, processes and runtimes go, the time stays."""

from datetime import UTC, datetime

import pytest

from bot.serving.lines import LONGEST_LOG, clean
from bot.serving.stamp import Stamp

_DAY = (11, 30)


@pytest.mark.parametrize(
    ("raw", "text", "clock"),
    [
        pytest.param("(EngineCore_DP0 pid=123) ERROR 11-30 12:00:01 [core.py:700] boom", "boom", (12, 0, 1), id="vLLM"),
        pytest.param("INFO 11-30 11:53:10 api_server.py:712] hello", "hello", (11, 53, 10), id="vLLM before 0.8"),
        pytest.param("(EngineCore_DP0 pid=1) (RayWorkerWrapper pid=14, ip=10.0.0.4) INFO 11-30 11:00:00 [a.py:1] x", "x", (11, 0, 0), id="a Ray worker of vLLM"),
        pytest.param("[2026-11-30 11:49:44 TP0 EP1] Load weight begin.", "Load weight begin.", (11, 49, 44), id="SGLang"),
        pytest.param("2026-11-30T11:32:01.220411Z  INFO download: text_generation_launcher: Starting", "Starting", (11, 32, 1), id="TGI"),
        pytest.param("2026-11-30 11:41:57,318\tINFO worker.py:1951 -- Started a local Ray instance.", "Started a local Ray instance.", (11, 41, 57), id="Ray"),
        pytest.param("(autoscaler +1m14s) Error: none", "Error: none", None, id="Ray's autoscaler"),
        pytest.param("E1130 11:56:38.402117       1 main.go:235] failed", "failed", (11, 56, 38), id="klog"),
        pytest.param("[rank3]:[E1130 12:00:00.123456789 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog", "[Rank 3] Watchdog", (12, 0, 0), id="torch"),
        pytest.param("time=2026-11-30T11:55:38Z level=info msg=Starting", "Starting", (11, 55, 38), id="logfmt"),
        pytest.param("2026-11-30T11:00:00.1Z stderr F 2026-11-30T10:59:59Z ERROR x", "x", (10, 59, 59), id="the runtime's stamp before the engine's own"),
        pytest.param("2026-11-30T19:00:00+08:00 x", "x", (19, 0, 0), id="a zone"),
        pytest.param("\x1b[36m(Worker_TP0 pid=1)\x1b[0;0m INFO 11-30 11:00:00 [a.py:1] x", "x", (11, 0, 0), id="colours"),
        pytest.param("[36m(Worker pid=1)[0m x", "x", None, id="colours that lost their escape"),
        pytest.param('{"log":"INFO 11-30 11:00:00 [a.py:1] x\\n","stream":"stderr","time":"z"}', "x", (11, 0, 0), id="docker's JSON"),
        pytest.param("{'model': 'x'}", "{'model': 'x'}", None, id="a dictionary is no JSON"),
        pytest.param("INFO:     Application startup complete.", "Application startup complete.", None, id="uvicorn"),
        pytest.param("glm-0:214:214 [0] NCCL INFO x", "glm-0:214:214 [0] NCCL INFO x", None, id="NCCL's own prefix stays"),
        pytest.param("(parenthesis) stays", "(parenthesis) stays", None, id="a word in brackets stays"),
        pytest.param("99-99 12 o'clock", "99-99 12 o'clock", None, id="figures that are no time"),
    ],
)  # fmt: skip
def test_a_line_is_cleaned(raw: str, text: str, clock: tuple[int, int, int] | None) -> None:
    [line] = clean(raw)
    assert line.text == text
    assert (line.stamp and (line.stamp.hour, line.stamp.minute, line.stamp.second)) == clock


def test_a_line_that_was_cut_at_the_beginning_is_left_out() -> None:
    log = "x" * LONGEST_LOG + "\nlast"
    assert [line.text for line in clean(log)] == ["last"]


@pytest.mark.parametrize(
    ("stamp", "now", "year"),
    [
        pytest.param(Stamp(12, 31, 23, 59, 0), datetime(2027, 1, 1, 0, 5, tzinfo=UTC), 2026, id="a line from before midnight of the old year"),
        pytest.param(Stamp(1, 1, 0, 5, 0), datetime(2026, 12, 31, 23, 59, tzinfo=UTC), 2027, id="a clock that runs ahead into the new year"),
        pytest.param(Stamp(11, 30, 11, 0, 0, year=2020), datetime(2026, 12, 1, tzinfo=UTC), 2020, id="a year that is said"),
    ],
)  # fmt: skip
def test_a_stamp_without_a_year_takes_the_nearest(stamp: Stamp, now: datetime, year: int) -> None:
    moment = stamp.at(now)
    assert moment
    assert moment.year == year


def test_a_zone_is_kept_and_a_day_that_is_none_gives_no_moment() -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    [line] = clean("2026-11-30T19:00:00+08:00 x")
    assert line.stamp
    assert line.stamp.at(now) == datetime(2026, 11, 30, 11, tzinfo=UTC)
    assert Stamp(2, 31, 0, 0, 0).at(now) is None
