"""The worker as the parent sees it: asked, listened to, killed."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import msgspec

from bot.agent.message import BEAT, LONGEST_BYTES, PARENT, Ask, Said, read

COMMAND = (sys.executable, "-m", "bot.agent.worker")


class Worker(Protocol):
    """One child process."""

    @property
    def pid(self) -> int: ...

    async def ask(self, question: Ask) -> None:
        """Raises OSError where it is gone."""

    async def hear(self) -> Said | None:
        """The next message; None when there will be none."""

    def kill(self) -> None: ...

    async def gone(self) -> None:
        """Returns when the process has ended and is reaped."""


Spawn = Callable[[], Awaitable[Worker]]


class ChildProcess:
    """A `Worker` over pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        self._process, self._stdin, self._stdout = process, process.stdin, process.stdout

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, question: Ask) -> None:
        self._stdin.write(msgspec.json.encode(question) + b"\n")
        await self._stdin.drain()

    async def hear(self) -> Said | None:
        """A line that is none of ours ends it as well: what follows could not be trusted."""
        try:
            line = await self._stdout.readline()
            return read(line) if line else None
        except (ValueError, OSError):  # longer than any reading, or not ours
            return None

    def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()

    async def gone(self) -> None:
        """Pipes are closed with it: an agent that runs for months may lose none."""
        await self._process.wait()
        self._stdin.close()
        with contextlib.suppress(OSError):
            await self._stdin.wait_closed()
        while await self._stdout.read(LONGEST_BYTES):
            continue


def spawner(beat_seconds: float, environment: Mapping[str, str] | None = None) -> Spawn:
    """How to start a worker; `environment` comes on top of ours."""

    async def spawn() -> Worker:
        own = {PARENT: str(os.getpid()), BEAT: f"{beat_seconds:g}"}
        return ChildProcess(
            await asyncio.create_subprocess_exec(
                *COMMAND,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={**os.environ, **(environment or {}), **own},
                limit=LONGEST_BYTES,
            )
        )

    return spawn
