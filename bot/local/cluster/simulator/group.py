"""The kubelets of one pool of machines, all in one task: they take pods in, move them on, and report.

Whatever concerns a machine is done in its group's task, one thing after another, so no two writes about one pod race.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

import aiohttp

from bot.local.cluster.clock import Clock, Timers
from bot.local.cluster.simulator.admission import take_in
from bot.local.cluster.simulator.client import CONFLICT, NOT_FOUND, Client, RequestError
from bot.local.cluster.simulator.lifecycle import advance, end
from bot.local.cluster.simulator.machine import Machine
from bot.local.cluster.simulator.pod_run import LASTING, OVER, Key, Note, PodRun, Stage, no_settings
from bot.local.cluster.simulator.pod_status import status_patch
from bot.local.cluster.simulator.reporter import Reporter
from bot.local.cluster.simulator.troubles import Troubles

Obj = dict[str, Any]
Work = Callable[[], Awaitable[None]]
Settings = Callable[[Mapping[str, Any]], Mapping[str, Any]]

SHORTEST_SECONDS = 0.05  # of ours: a stage that is over sooner is not reported, nobody would see it

log = logging.getLogger(__name__)


class NodeGroup:
    def __init__(
        self, client: Client, clock: Clock, reporter: Reporter, troubles: Troubles, settings: Settings = no_settings
    ) -> None:
        self._client, self._clock, self._reporter, self._troubles = client, clock, reporter, troubles
        self._settings = settings
        self.machines: dict[str, Machine] = {}
        self._wake = asyncio.Event()
        self._timers = Timers(clock)
        self._work: deque[Work] = deque()
        self._working = False
        self._forget_clock = clock.on_change(self._wake.set)

    @property
    def working(self) -> bool:
        return self._working or bool(self._work)

    @property
    def next_due(self) -> datetime | None:
        """When the first pod that is on its way moves on."""
        runs = (run for m in self.machines.values() if m.alive for run in m.pods.values())
        return min((run.until for run in runs if run.until and run.stage not in LASTING), default=None)

    @property
    def next_end(self) -> datetime | None:
        """When the first pod that runs for a time will have run it."""
        runs = (run for m in self.machines.values() if m.alive for run in m.pods.values())
        return min((run.until for run in runs if run.until and run.stage is Stage.READY), default=None)

    @property
    def settled(self) -> bool:
        """No pod is on its way from one stage to the next, and all is reported."""
        runs = (run for m in self.machines.values() if m.alive for run in m.pods.values())
        stuck = (run.stage in LASTING or (run.stage is Stage.ENDING and run.until is None) for run in runs)
        return not self.working and all(stuck)

    async def run(self) -> None:
        try:
            while True:
                self._wake.clear()
                self._timers.run_due()
                while self._work:
                    self._working = True
                    await self._attempt(self._work.popleft())
                    self._timers.run_due()
                self._working = False
                await self._timers.wait(self._wake)
        finally:
            self._forget_clock()

    def do(self, work: Work) -> None:
        self._work.append(work)
        self._wake.set()

    def do_after(self, seconds: float, work: Work) -> None:
        """Later, in cluster seconds."""
        self._timers.after(seconds, lambda: self._work.append(work))
        self._wake.set()

    async def done(self, work: Work) -> None:
        """Do it in the group's turn, and wait until it is done."""
        finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def and_tell() -> None:
            try:
                await work()
                finished.set_result(None)
            except Exception as error:  # noqa: BLE001 - whoever waits gets it, whatever it is
                finished.set_exception(error)

        self.do(and_tell)
        await finished

    # pods as the API server tells of them

    def see(self, type_: str, pod: Obj) -> None:
        machine = self.machines[pod["spec"]["nodeName"]]
        key = pod["metadata"]["namespace"], pod["metadata"]["name"]
        if not machine.alive:
            machine.unseen[key] = (type_, pod)
            return
        run = machine.pods.get(key)
        if run and (type_ == "DELETED" or run.uid != pod["metadata"]["uid"]):
            self._drop(machine, run)
            run = None
        if type_ == "DELETED":
            return
        if run is None:
            self._take_in(machine, pod)
        else:
            self._follow(machine, run, pod)

    def _take_in(self, machine: Machine, pod: Obj) -> None:
        meta = pod["metadata"]
        trouble = self._troubles.of(meta["namespace"], meta["name"], machine.name)
        run = take_in(machine, pod, trouble, self._clock.now())
        if run is None:
            return
        run.settings = self._settings
        machine.pods[run.key] = run
        notes = [Note(run.since, *run.rejection, warning=True)] if run.rejection else []
        if meta.get("deletionTimestamp"):
            notes += end(run, self._clock.now())
        self.settle(machine, run, notes)

    def _follow(self, machine: Machine, run: PodRun, pod: Obj) -> None:
        run.pod = pod
        if not pod["metadata"].get("deletionTimestamp") or run.stage in (Stage.ENDING, Stage.GONE):
            return
        if run.stage in OVER:
            run.enter(Stage.GONE, self._clock.now(), None)
            self.settle(machine, run, [])
        else:
            self.settle(machine, run, end(run, self._clock.now()))

    def _drop(self, machine: Machine, run: PodRun) -> None:
        machine.pods.pop(run.key, None)
        machine.release(run.uid)

    # moving on

    def settle(self, machine: Machine, run: PodRun, notes: Iterable[Note]) -> None:
        """Report the stage that `run` is in, and plan the next one. To be called after each change of a run."""
        told = list(notes)
        due = run.until
        if run.stage in OVER:
            machine.release(run.uid)
        if due is None or self._clock.real_seconds_until(due) >= SHORTEST_SECONDS or run.stage in LASTING:
            self.do(lambda: self._write(machine, run, told))
        elif told:
            self.do(lambda: self._tell(machine, run, told))
        if due is not None:
            seconds = (due - self._clock.now()).total_seconds()
            self._timers.after(seconds, lambda: self._move_on(machine, run, due))
            self._wake.set()

    def _move_on(self, machine: Machine, run: PodRun, due: object) -> None:
        if run.until is not due or not machine.alive or machine.pods.get(run.key) is not run:
            return
        notes: list[Note] = []
        now = self._clock.now()
        while run.until is not None and run.until <= now:
            notes += advance(run, machine.images, run.until)
        self.settle(machine, run, notes)

    async def _write(self, machine: Machine, run: PodRun, notes: list[Note]) -> None:
        if machine.pods.get(run.key) is not run:
            return
        path = f"/api/v1/namespaces/{run.key[0]}/pods/{run.key[1]}"
        if run.stage is Stage.GONE:
            await self._client.delete(path, grace_seconds=0, uid=run.uid)
            return
        run.devices = [(d.resource, d.id, d.healthy) for d in machine.held(run.uid)]
        status = status_patch(run)
        if any((run.pod.get("status") or {}).get(name) != value for name, value in status.items()):
            patch = {"metadata": {"uid": run.uid}, "status": status}
            run.pod = await self._client.patch(f"{path}/status", patch)
        await self._tell(machine, run, notes)

    async def _tell(self, machine: Machine, run: PodRun, notes: list[Note]) -> None:
        for note in notes:
            about = {**run.pod, "kind": "Pod"}
            await self._reporter.report(
                about, "kubelet", note.reason, note.message, warning=note.warning, host=machine.name, at=note.at
            )

    async def _attempt(self, work: Work) -> None:
        try:
            await work()
        except RequestError as error:
            if error.code not in (NOT_FOUND, CONFLICT):
                log.warning("a simulated kubelet was refused: %s", error)
        except aiohttp.ClientError as error:
            log.warning("a simulated kubelet could not reach the API server: %s", error)

    # machines that were away

    def catch_up(self, machine: Machine) -> None:
        """The kubelet is back: it learns what happened meanwhile, and goes on where it was."""
        unseen, machine.unseen = machine.unseen, {}
        for type_, pod in unseen.values():
            self.see(type_, pod)
        for run in list(machine.pods.values()):
            self.settle(machine, run, ())

    def find(self, key: Key) -> tuple[Machine, PodRun] | None:
        found = ((m, m.pods[key]) for m in self.machines.values() if key in m.pods)
        return next(found, None)
