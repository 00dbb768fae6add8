"""The worker's manners: dear questions only when asked for, Xids as they come, an end when NVML has none."""

import pytest

from bot.agent.message import Ask, Beat, Failed, Reading, Said, Xid
from bot.agent.process import Worker, spawner
from tests.agent.stub import Stub


async def said(worker: Worker, kind: type[Said]) -> Said:
    """The next message of that kind."""
    while True:
        one = await worker.hear()
        assert one is not None, "it ended"
        if isinstance(one, kind):
            return one


async def ended(worker: Worker) -> None:
    worker.kill()
    await worker.gone()


async def test_dear_answers_are_those_of_the_last_dear_round(stub: Stub) -> None:
    stub.says("value gpus * 1", "value power 0 1000")
    worker = await spawner(5, stub.environment)()
    found = []
    for dear in (True, False, True):
        await worker.ask(Ask(dear))
        reading = await said(worker, Reading)
        assert isinstance(reading, Reading)
        found.append((reading.gpus[0]["powerUsage"], len(reading.gpus[0]["computeRunningProcesses"])))
        stub.says("value gpus * 1", "value power 0 2000", "value processes 0 5")
    await ended(worker)
    assert found == [(1000, 1), (2000, 1), (2000, 5)]


async def test_an_xid_is_told_while_nobody_asks(stub: Stub) -> None:
    stub.says("value gpus * 4", "xid 1 31")
    worker = await spawner(5, stub.environment)()
    await worker.ask(Ask())
    await said(worker, Reading)
    stub.says("value gpus * 4", "xid 1 31", "xid 2 79")
    found = await said(worker, Xid)
    await ended(worker)
    assert found == Xid(79, "00000000:1A:00.0", "GPU-00000000-0000-4000-8000-000000000002")


async def test_a_call_that_lasts_is_told_by_name(stub: Stub) -> None:
    stub.says("value gpus * 2", "hang 1 nvmlDeviceGetPowerUsage 60")
    worker = await spawner(0.05, stub.environment)()
    await worker.ask(Ask())
    beat = await said(worker, Beat)
    while isinstance(beat, Beat) and beat.call != "powerUsage":  # a slow machine may tell of others first
        beat = await said(worker, Beat)
    await ended(worker)
    assert isinstance(beat, Beat)
    assert (beat.call, beat.gpu) == ("powerUsage", 1)


@pytest.mark.parametrize(
    ("line", "call", "code"),
    [
        pytest.param("error * nvmlInitWithFlags 9", "init", 9, id="the driver is not loaded"),
        pytest.param("error * nvmlInitWithFlags 18", "init", 18, id="library and driver differ"),
        pytest.param("error * nvmlDeviceGetCount_v2 999", "count", 999, id="the driver breaks later"),
    ],
)
async def test_an_end_has_a_reason(stub: Stub, line: str, call: str, code: int) -> None:
    stub.says(line)
    worker = await spawner(5, stub.environment)()
    await worker.ask(Ask())
    failed = await said(worker, Failed)
    assert await worker.hear() is None
    await worker.gone()
    assert isinstance(failed, Failed)
    assert (failed.call, failed.error) == (call, code)


async def test_without_a_library_it_says_so() -> None:
    worker = await spawner(5, {"LD_LIBRARY_PATH": ""})()
    while isinstance(failed := await worker.hear(), Beat):
        continue
    await worker.gone()
    if not isinstance(failed, Failed):
        pytest.skip("this machine has an NVML library")
    assert (failed.call, failed.error) == ("init", 12)
