"""Whatever becomes of a worker, readings go on, and never are two alive."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.agent.back_off import back_off_seconds
from bot.agent.conversation import Pace
from bot.agent.fault import Kind
from bot.agent.message import Ask, Beat, Failed, Reading
from bot.agent.process import Worker, spawner
from tests.agent.stub import Stub
from tests.agent.watching import BRISK, Actor, Watched, watched

KILLS, HANGS, NODES = 100, 10, 5
PERIOD = Pace(period_seconds=2.0, dear_each=6, call_seconds=1.0)
QUIET = Reading(gpus=[])


def zombies(pids: list[int]) -> list[int]:
    """Those that have ended and that nobody has taken note of."""
    found = []
    for pid in pids:
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists():
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                found.append(pid)
    return found


async def test_killed_a_hundred_times_no_reading_is_lost_for_more_than_two_periods(stub: Stub) -> None:
    stub.says("value gpus * 2")
    async with watched(spawner(0.25, stub.environment), PERIOD) as seen:
        for number in range(KILLS):
            reading = await seen.next_reading()
            assert len(reading.gpus) == 2, number
            os.kill(seen.workers[-1].pid, signal.SIGKILL)
        await seen.next_reading()
        assert len(seen.workers) == KILLS + 1
        assert not zombies([worker.pid for worker in seen.workers])
    assert seen.longest_gap() <= 2 * PERIOD.period_seconds
    assert seen.faults.qsize() == KILLS


async def test_hung_ten_times_no_reading_is_lost_for_more_than_two_periods(stubs: Callable[[str], Stub]) -> None:
    nodes = [stubs(f"gpu-{number}") for number in range(NODES)]
    seen = await asyncio.gather(*(_hang(stub, HANGS // NODES) for stub in nodes))
    assert all(one.longest_gap() <= 2 * PERIOD.period_seconds for one in seen), [one.longest_gap() for one in seen]
    assert not zombies([worker.pid for one in seen for worker in one.workers])


async def _hang(stub: Stub, times: int) -> Watched:
    """Two hangs of one node, each told with the call that hung."""
    stub.says("value gpus * 2")
    async with watched(spawner(0.25, stub.environment), PERIOD) as seen:
        for _ in range(times):
            await seen.next_reading()
            stub.says("value gpus * 2", "hang 1 nvmlDeviceGetPowerUsage 600")
            fault = await seen.next_fault()
            stub.says("value gpus * 2")
            assert (fault.kind, fault.call, fault.gpu) == (Kind.HANGS, "powerUsage", 1)
        await seen.next_reading()
    return seen


async def test_one_that_survives_its_killing_is_told_and_no_second_is_started() -> None:
    immortal, next_one = Actor(Beat("init", 9.0), mortal=False), Actor(QUIET)
    cast = iter([immortal, next_one])

    async def spawn() -> Worker:
        return next(cast)

    patience = type(BRISK)(reap_seconds=0.01, back_off_first_seconds=0.01)
    async with watched(spawn, PERIOD, patience) as seen:
        assert (await seen.next_fault()).stuck_pid is None
        stuck = await seen.next_fault()
        assert stuck.stuck_pid == immortal.pid
        assert seen.workers == [immortal]
        assert seen.readings.empty()
        immortal.ended.set()
        assert await seen.next_reading() == QUIET
        assert seen.workers == [immortal, next_one]


async def test_one_that_says_nothing_at_all_is_ended(stub: Stub) -> None:
    stub.says("value gpus * 1")
    async with watched(spawner(0.1, stub.environment), Pace(0.05, 6, 2.0)) as seen:
        await seen.next_reading()
        os.kill(seen.workers[-1].pid, signal.SIGSTOP)
        assert (await seen.next_fault()).kind is Kind.SILENT
        while not seen.readings.empty():  # from before it was stopped
            seen.readings.get_nowait()
        await seen.next_reading()
        assert len(seen.workers) == 2


async def test_a_beat_of_a_call_that_may_still_end_is_no_hang() -> None:
    patient = Actor(*[Beat("init", 0.9)] * 3, QUIET)

    async def spawn() -> Worker:
        return patient

    async with watched(spawn, PERIOD) as seen:
        assert await seen.next_reading() == QUIET
        assert not patient.killed.is_set()
        assert seen.faults.empty()


async def test_the_first_and_each_sixth_question_is_dear() -> None:
    actor = Actor(answer=QUIET)

    async def spawn() -> Worker:
        return actor

    async with watched(spawn, Pace(0.001, 6, 1.0)) as seen:
        for _ in range(13):
            await seen.next_reading()
    assert [number for number, asked in enumerate(actor.asked[:13]) if asked == Ask(dear=True)] == [0, 6, 12]


def failing(code: int, times: int) -> Callable[[], Actor]:
    """So many workers that end with that error, then one that reads."""
    left = iter([Actor(Failed("init", code)) for _ in range(times)])
    return lambda: next(left, None) or Actor(QUIET)


async def test_a_driver_that_is_not_there_is_waited_for_and_told_since_when() -> None:
    cast = failing(9, 3)

    async def spawn() -> Worker:
        return cast()

    async with watched(spawn, PERIOD) as seen:
        faults = [await seen.next_fault() for _ in range(3)]
        assert await seen.next_reading() == QUIET
        assert seen.task
        assert not seen.task.done()
    assert [fault.error for fault in faults] == [9, 9, 9]
    assert len({fault.since for fault in faults}) == 1


@pytest.mark.parametrize(
    ("code", "driver", "ends"),
    [
        pytest.param(18, True, True, id="library and driver differ: a new container gets the new library"),
        pytest.param(12, True, True, id="a driver, but no library in this container"),
        pytest.param(12, False, False, id="no driver on this node"),
        pytest.param(9, True, False, id="not loaded: it may be loaded soon"),
        pytest.param(999, True, False, id="unknown"),
    ],
)
async def test_the_agent_ends_only_for_what_a_new_container_cures(code: int, driver: bool, ends: bool) -> None:
    async def spawn() -> Worker:
        return Actor(Failed("init", code))

    async with watched(spawn, PERIOD, driver_present=lambda: driver) as seen:
        first = await seen.next_fault()
        for _ in range(4):  # with the pauses between them longer than what is borne
            if seen.task and seen.task.done():
                break
            await asyncio.wait({seen.task, asyncio.ensure_future(seen.next_fault())}, return_when="FIRST_COMPLETED")
        assert seen.task
        assert seen.task.done() is ends
        if ends:
            assert (seen.task.result().error, seen.task.result().since) == (code, first.since)


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [
        pytest.param(1, 0, id="the first end costs nothing"),
        pytest.param(2, 1, id="then a second"),
        pytest.param(4, 4, id="twice as long each time"),
        pytest.param(9, 60, id="never more than a minute"),
        pytest.param(10_000, 60, id="also after a week"),
    ],
)
def test_back_off(failures: int, seconds: float) -> None:
    assert back_off_seconds(failures, first=1, longest=60) == seconds
