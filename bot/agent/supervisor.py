"""Keeps one worker at work: ends it when a call hangs, and starts the next.

Never more than one is alive. One that hangs in the kernel survives SIGKILL: it is abandoned and told, and no other is
started before it is gone, since that would hang as well.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.agent.back_off import back_off_seconds
from bot.agent.conversation import Conversation, Ears, Pace
from bot.agent.fault import Fault
from bot.agent.message import Reading
from bot.agent.process import Spawn, Worker


@dataclass(frozen=True, slots=True)
class Patience:
    """`reap`: how long a killed worker may take to end. `restart_after`: how long a fault is told before we end."""

    reap_seconds: float = 3.0
    back_off_first_seconds: float = 1.0
    back_off_longest_seconds: float = 60.0
    restart_after_seconds: float = 60.0


class Supervisor:
    """`run` returns the fault that only a new container can cure; otherwise it goes on until cancelled."""

    def __init__(
        self,
        spawn: Spawn,
        ears: Ears,
        tell: Callable[[Fault], None],
        pace: Pace,
        patience: Patience,
        driver_present: Callable[[], bool],
    ) -> None:
        self._spawn, self._tell, self._pace, self._patience = spawn, tell, pace, patience
        self._driver_present = driver_present
        self._ears = replace(ears, reading=self._worked(ears.reading))
        self._failures = 0
        self._fault: Fault | None = None

    async def run(self) -> Fault:
        while True:
            worker = await self._spawn()
            try:
                fault = self._told(await Conversation(worker, self._pace, self._ears).run())
            finally:
                worker.kill()
                reaped = await self._reaped(worker)
            if not reaped:
                self._fault = replace(fault, stuck_pid=worker.pid)
                self._tell(self._fault)
                await worker.gone()
            if self._due_for_restart(fault):
                return fault
            await asyncio.sleep(self._pause())

    def _worked(self, pass_on: Callable[[Reading], None]) -> Callable[[Reading], None]:
        """What a reading ends: the count of failures, and the fault."""

        def hear(reading: Reading) -> None:
            self._failures, self._fault = 0, None
            pass_on(reading)

        return hear

    def _told(self, fault: Fault) -> Fault:
        """The fault since its beginning, where it is the same as before."""
        self._failures += 1
        fault = replace(fault, driver_present=self._driver_present())
        if self._fault and fault.same_as(self._fault):
            fault = fault.began(self._fault.since)
        self._fault = fault
        self._tell(fault)
        return fault

    async def _reaped(self, worker: Worker) -> bool:
        """Whether it ended within the time that a killed process needs."""
        try:
            await asyncio.wait_for(worker.gone(), self._patience.reap_seconds)
        except TimeoutError:
            return False
        return True

    def _due_for_restart(self, fault: Fault) -> bool:
        told_for = self._ears.now() - fault.since
        return fault.curable_by_restart and told_for >= timedelta(seconds=self._patience.restart_after_seconds)

    def _pause(self) -> float:
        first, longest = self._patience.back_off_first_seconds, self._patience.back_off_longest_seconds
        return back_off_seconds(self._failures, first=first, longest=longest)
