"""A supervisor whose every word can be awaited, and a worker that is only made up."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.agent.conversation import Ears, Pace
from bot.agent.fault import Fault
from bot.agent.message import Ask, Reading, Said, Xid
from bot.agent.process import Spawn, Worker
from bot.agent.supervisor import Patience, Supervisor

BRISK = Patience(reap_seconds=2.0, back_off_first_seconds=0.02, back_off_longest_seconds=0.1, restart_after_seconds=0.1)


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Watched:
    """What one supervisor told, in order."""

    readings: "asyncio.Queue[Reading]" = field(default_factory=asyncio.Queue)
    faults: "asyncio.Queue[Fault]" = field(default_factory=asyncio.Queue)
    xids: "asyncio.Queue[Xid]" = field(default_factory=asyncio.Queue)
    reading_times: list[float] = field(default_factory=list)
    workers: list[Worker] = field(default_factory=list)
    task: "asyncio.Task[Fault] | None" = None

    def read(self, reading: Reading) -> None:
        self.reading_times.append(asyncio.get_running_loop().time())
        self.readings.put_nowait(reading)

    async def next_reading(self) -> Reading:
        return await asyncio.wait_for(self.readings.get(), 20)

    async def next_fault(self) -> Fault:
        return await asyncio.wait_for(self.faults.get(), 20)

    def longest_gap(self) -> float:
        return max(after - before for before, after in zip(self.reading_times, self.reading_times[1:], strict=False))


@asynccontextmanager
async def watched(
    spawn: Spawn, pace: Pace, patience: Patience = BRISK, driver_present: Callable[[], bool] = lambda: False
) -> AsyncIterator[Watched]:
    seen = Watched()

    async def remembered() -> Worker:
        seen.workers.append(worker := await spawn())
        return worker

    ears = Ears(seen.read, seen.xids.put_nowait, now)
    supervisor = Supervisor(remembered, ears, seen.faults.put_nowait, pace, patience, driver_present)
    seen.task = asyncio.create_task(supervisor.run())
    try:
        yield seen
    finally:
        seen.task.cancel()
        await asyncio.gather(seen.task, return_exceptions=True)


class Actor:
    """A worker that plays a part: it says what it is told to, and dies only when it may."""

    def __init__(self, *lines: Said, mortal: bool = True, answer: Said | None = None) -> None:
        self.pid = 4711
        self.asked: list[Ask] = []
        self.killed = asyncio.Event()
        self.ended = asyncio.Event()
        self._mortal, self._answer = mortal, answer
        self._lines: asyncio.Queue[Said | None] = asyncio.Queue()
        for line in lines:
            self._lines.put_nowait(line)

    async def ask(self, question: Ask) -> None:
        self.asked.append(question)
        if self._answer:
            self._lines.put_nowait(self._answer)

    async def hear(self) -> Said | None:
        return await self._lines.get()

    def kill(self) -> None:
        self.killed.set()
        if self._mortal:
            self.ended.set()

    async def gone(self) -> None:
        await self.ended.wait()
