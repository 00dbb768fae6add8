"""The agent put together: who gathers, what is remembered, who is served."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from bot.agent import boot
from bot.agent.access import checked, tls
from bot.agent.conversation import Ears, Pace
from bot.agent.fault import Fault
from bot.agent.hearing import Hearing
from bot.agent.http import Server
from bot.agent.kernel_tail import KernelTail
from bot.agent.message import Reading
from bot.agent.options import Options
from bot.agent.pods.kubelet import given
from bot.agent.pods.processes import Processes, ProcessNames
from bot.agent.pods.unary import CallError
from bot.agent.pods.wire import WireError
from bot.agent.process import Spawn, spawner
from bot.agent.serving import Pages
from bot.agent.state import State
from bot.agent.supervisor import Patience, Supervisor

log = logging.getLogger("gpubot.agent")
KUBELET_SECONDS = 3.0
BEATS_PER_CALL = 4  # a hang is noticed within a quarter of what a call may last
NEEDS_NEW_CONTAINER = 75  # EX_TEMPFAIL of sysexits.h


class Agent:
    """`run` ends when cancelled, or with the fault that only a new container can cure."""

    def __init__(
        self,
        options: Options,
        *,
        spawn: Spawn | None = None,
        patience: Patience | None = None,
        processes: Processes | None = None,
    ) -> None:
        self._options = options
        self.state = State(options.node, boot.this_boot(), boot.now)
        self.hearing = Hearing(self.state.xids)
        self._names = ProcessNames(processes or Processes())
        self._tail = KernelTail(options.kernel_log, self.state.boot.at, self.hearing.record)
        self._supervisor = Supervisor(
            spawn or spawner(options.call_seconds / BEATS_PER_CALL),
            Ears(self._read, lambda xid: self.hearing.event(xid, boot.now()), boot.now),
            self._fault,
            Pace(options.period_seconds, options.dear_each, options.call_seconds),
            patience or Patience(),
            boot.driver_present,
        )
        self._tasks: list[asyncio.Task[object]] = []
        self.port = 0

    async def run(self) -> Fault:
        async with self._gathering() as watching, self._serving():
            return await watching

    @asynccontextmanager
    async def _gathering(self) -> AsyncIterator["asyncio.Task[Fault]"]:
        self._tail.open()
        self.state.note("kernel log", self._tail.trouble)
        watching = asyncio.create_task(self._supervisor.run())
        self._tasks = [watching, asyncio.create_task(self._ask_kubelet())]
        try:
            yield watching
        finally:
            self._tail.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[None]:
        chosen = self._options
        access = checked(chosen.host, chosen.token_file, chosen.client_ca)
        pages = Pages(self.state, access, chosen.period_seconds, lambda: self.hearing.kernel.lines, self._turning)
        server = Server(pages.answer)
        try:
            context = tls(chosen.tls_cert, chosen.tls_key, chosen.client_ca)
            self.port = await server.start(chosen.host, chosen.port, context)
            log.info("serving on %s:%d", chosen.host, self.port)
            yield
        finally:
            await server.stop()

    def _turning(self) -> bool:
        return all(not task.done() for task in self._tasks)

    def _read(self, reading: Reading) -> None:
        """Processes get their names first, so that nobody sees a half of it."""
        before = self.state.gpus
        if self.state.fault:
            log.info("NVML answers again: %d GPUs", len(reading.gpus))
        gpus = self._names.named(reading.gpus, anew=reading.dear)
        self.state.take(msgspec.structs.replace(reading, gpus=gpus))
        self.hearing.readings(before, self.state.gpus, boot.now())

    def _fault(self, fault: Fault) -> None:
        if not self.state.fault or not fault.same_as(self.state.fault):
            log.warning("%s", fault.words(self.state.node, boot.now()))
        self.state.fault = fault

    async def _ask_kubelet(self) -> None:
        """Who has which GPU, as often as GPUs are read. What was told before does not outlive a kubelet's silence."""
        while True:
            try:
                self.state.given = await given(self._options.kubelet_socket, KUBELET_SECONDS)
                self.state.note("pods", "")
            except (CallError, WireError) as error:
                self.state.given = None
                self.state.note("pods", f"the kubelet does not tell who has which GPU: {error}")
            await asyncio.sleep(self._options.period_seconds)
