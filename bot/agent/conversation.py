"""With one worker, from its start to its end: asked once a period, listened to all the time."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.agent.fault import Fault, Kind
from bot.agent.message import Ask, Beat, Failed, Reading, Xid
from bot.agent.process import Worker


@dataclass(frozen=True, slots=True)
class Pace:
    """`dear_each`: every so many readings ask the dear questions too. `call_seconds`: a longer call hangs."""

    period_seconds: float = 10.0
    dear_each: int = 6
    call_seconds: float = 7.0  # so that after a hang the next reading still comes within two periods
    start_seconds: float = 30.0  # until the first word; a busy node starts processes slowly


@dataclass(frozen=True, slots=True)
class Ears:
    """Who is told what, and the clock."""

    reading: Callable[[Reading], None]
    xid: Callable[[Xid], None]
    now: Callable[[], datetime]


class Conversation:
    """`run` returns why it ended; it never ends well."""

    def __init__(self, worker: Worker, pace: Pace, ears: Ears) -> None:
        self._worker, self._pace, self._ears = worker, pace, ears
        self._answered = asyncio.Event()
        self._heard_at = 0.0
        self._heard_once = False

    async def run(self) -> Fault:
        both = [asyncio.create_task(self._listen()), asyncio.create_task(self._ask())]
        try:
            done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _ask(self) -> Fault:
        """Asks until it has been silent for longer than a call may last."""
        loop = asyncio.get_running_loop()
        number = 0
        while True:
            due = loop.time() + self._pace.period_seconds
            self._answered.clear()
            self._heard_at = loop.time()
            with contextlib.suppress(OSError):  # it is gone: the listener is just being told
                await self._worker.ask(Ask(dear=number % self._pace.dear_each == 0))
            while not self._answered.is_set():
                left = self._heard_at + self._bearable_seconds - loop.time()
                if left <= 0:
                    return self._since(Fault(Kind.SILENT, self._ears.now()), self._bearable_seconds)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._answered.wait()
            number += 1
            await asyncio.sleep(max(0.0, due - loop.time()))

    async def _listen(self) -> Fault:
        """Passes on what it says until it ends, or says that it hangs."""
        while True:
            said = await self._worker.hear()
            self._heard_at = asyncio.get_running_loop().time()
            self._heard_once = True
            match said:
                case Reading():
                    self._ears.reading(said)
                    self._answered.set()
                case Xid():
                    self._ears.xid(said)
                case Beat(call, seconds, gpu) if seconds >= self._pace.call_seconds:
                    return self._since(Fault(Kind.HANGS, self._ears.now(), call, gpu), seconds)
                case Failed(call, error, text):
                    return Fault(Kind.FAILED, self._ears.now(), call, error=error, text=text)
                case None:
                    return Fault(Kind.ENDED, self._ears.now())

    @property
    def _bearable_seconds(self) -> float:
        """How long it may say nothing."""
        return self._pace.call_seconds if self._heard_once else self._pace.start_seconds

    @staticmethod
    def _since(fault: Fault, seconds: float) -> Fault:
        """It began when the call did, not when we gave up."""
        return fault.began(fault.since - timedelta(seconds=seconds))
