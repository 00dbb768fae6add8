"""`python -m bot.local.engine` as a process, and many engines in one."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process

import aiohttp
import pytest

from bot.local.engine import EngineServer
from bot.serving.phase import Phase
from bot.serving.reading import read
from tests.local.engine.helpers import args_of


async def started(*words: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.local.engine", "m", "--port=0", *words, stdout=PIPE, stderr=PIPE
    )


async def test_it_writes_its_log_serves_and_ends_on_sigterm() -> None:
    process = await started("--startup-seconds", "0.2")
    assert process.stdout is not None
    told = ""
    async with asyncio.timeout(20):
        while "Application startup complete." not in told:
            told += (await process.stdout.readline()).decode()
    progress = read(told).progress
    assert progress is not None
    assert progress.phase is Phase.READY
    port = told.partition("Starting vLLM server on http://0.0.0.0:")[2].partition("\n")[0]
    async with asyncio.timeout(20), aiohttp.ClientSession() as session:
        while not await _answers(session, f"http://127.0.0.1:{port}/health"):  # noqa: ASYNC110  # nothing tells
            await asyncio.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    rest, _ = await process.communicate()
    assert process.returncode == 0
    assert b"Application shutdown complete." in rest


async def _answers(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with session.get(url) as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        pytest.param(["--no-such-flag"], 2, b"unrecognized arguments: --no-such-flag", id="argparse refuses"),
        pytest.param(
            ["--startup-seconds", "0.3", "--ends", "out-of-memory-loading"], 1, b"CUDA out of memory", id="no memory"
        ),
    ],
)
async def test_it_ends_with_the_exit_code_of_its_fault(words: list[str], code: int, says: bytes) -> None:
    process = await started(*words)
    out, err = await process.communicate()
    assert process.returncode == code
    assert says in out + err


async def test_sigterm_while_it_loads_ends_it_at_once() -> None:
    process = await started("--startup-seconds", "60")
    assert process.stdout is not None
    await process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(10):
        await process.communicate()
    assert process.returncode == 0


async def test_before_it_serves_a_connection_is_refused() -> None:
    server = EngineServer(args_of(), startup_seconds=60)
    async with aiohttp.ClientSession() as session:
        assert not await _answers(session, f"{server.url}/health")
    await server.stop()


async def test_one_process_has_many_engines() -> None:
    servers = [EngineServer(args_of(), load=4) for _ in range(100)]
    await asyncio.gather(*(server.start() for server in servers))
    try:
        assert len({server.port for server in servers}) == 100
        async with aiohttp.ClientSession() as session:
            found = await asyncio.gather(*(_answers(session, f"{server.url}/metrics") for server in servers))
        assert all(found)
    finally:
        await asyncio.gather(*(server.stop() for server in servers))
