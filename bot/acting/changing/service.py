"""Changes on their way, as others see them: propose, click, a look at the clock that takes up what is open.

Each change that goes on is carried by one task. A task that ends early, by an error or with the whole bot, leaves a
change whose record says how far it came: the next look at the clock takes it up again.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from bot.acting.changing import applying, clicking, following, proposing, undoing
from bot.acting.changing.ground import Ground
from bot.acting.changing.timers import by_the_clock
from bot.domain.change import Change, ChangeState, Plan
from bot.domain.document import Document
from bot.domain.errors import BotError, ConflictError
from bot.domain.person import Asker

log = structlog.get_logger()
_CARRIED = (ChangeState.APPROVED, ChangeState.APPLYING, ChangeState.FOLLOWING, ChangeState.UNDOING)


class Changing:
    """`tick` is called every few seconds by whoever leads.

    leads: whether this replica carries changes. The others answer questions and clicks all the same, and leave what was
    approved to the one that leads.
    """

    def __init__(self, ground: Ground, leads: Callable[[], bool] = lambda: True) -> None:
        self._ground = ground
        self._leads = leads
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def propose(self, plan: Plan, asker: Asker, cluster: str) -> Document:
        """Raises UserError, UpstreamError."""
        return await proposing.propose(self._ground, plan, asker, cluster)

    async def click(self, nonce: str, word: str, asker: Asker) -> Document:
        """`word`: yes, no or undo. Raises UserError, UpstreamError."""
        document, going = await clicking.click(self._ground, nonce, word, asker)
        if going is not None:
            self._carry(going, resumed=False)
        return document

    async def tick(self) -> None:
        """Take up what is open and nobody carries; let proposals lapse; undo what is due. Raises UpstreamError."""
        for change in await self._ground.store.open_changes():
            if change.number in self._tasks:
                continue
            if change.state in _CARRIED:
                self._carry(change, resumed=True)
                continue
            try:
                going = await by_the_clock(self._ground, change)
            except (ConflictError, BotError) as error:
                log.warning("a change could not be looked after", change=change.number, error=str(error))
                continue
            if going is not None:
                self._carry(going, resumed=False)

    async def settled(self) -> None:
        """Until nothing is carried any more."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    async def stop(self) -> None:
        """Ends the tasks where they stand; the record has what was done."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _carry(self, change: Change, *, resumed: bool) -> None:
        if change.number in self._tasks or not self._leads():
            return
        task = asyncio.create_task(self._carried(change, resumed=resumed), name=f"change-{change.number}")
        self._tasks[change.number] = task
        task.add_done_callback(lambda ended: self._ended(change.number, ended))

    def _ended(self, number: int, task: asyncio.Task[None]) -> None:
        """An error that nobody foresaw is told; the change stays as it is recorded, and is taken up again."""
        self._tasks.pop(number, None)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            log.error("a change stopped on its way", change=number, exc_info=error)

    async def _carried(self, change: Change, *, resumed: bool) -> None:
        try:
            await carry(self._ground, change, resumed=resumed)
        except ConflictError as error:
            log.info("a change is carried elsewhere", change=change.number, error=str(error))
            await self._undone_meanwhile(change.number)
        except BotError as error:
            log.warning("a change waits to be taken up again", change=change.number, error=str(error))

    async def _undone_meanwhile(self, number: int) -> None:
        """Whoever clicked undo while the change was followed found its task here: go on with the way back."""
        current = await self._ground.store.get(number)
        if current is not None and current.state is ChangeState.UNDOING:
            await carry(self._ground, current, resumed=False)


async def carry(ground: Ground, change: Change, *, resumed: bool) -> Change:
    """From where it stands to where it waits for people or is at its end. Raises ConflictError, UpstreamError."""
    while change.state in _CARRIED:
        change = await _phase(ground, change, resumed)()
        resumed = False
    return change


def _phase(ground: Ground, change: Change, resumed: bool) -> Callable[[], Awaitable[Change]]:
    match change.state:
        case ChangeState.APPROVED:
            return lambda: applying.begin(ground, change, resumed=resumed)
        case ChangeState.APPLYING:
            return lambda: applying.apply(ground, change, resumed=resumed)
        case ChangeState.FOLLOWING:
            return lambda: following.follow(ground, change)
        case _:
            return lambda: undoing.take_back(ground, change)
