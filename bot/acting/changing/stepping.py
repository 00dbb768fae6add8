"""One step, done once or not at all, and known to be.

An answer that did not come is not taken for a no: the object is read, and only if it shows that nothing was done is the
call made again. What a disruption budget forbids now is tried again until the time for it is over.
"""

from datetime import datetime, timedelta

from bot.acting.changing.ground import Ground, Site
from bot.changes.settled import Settled, settled
from bot.domain.change import Step, Verb
from bot.domain.errors import ClusterError
from bot.domain.person import Identity
from bot.domain.writing import Refusal, WriteRefusedError, WriteUnknownError

RETRY_SECONDS = 5.0
_LATER = (Refusal.DISRUPTION, Refusal.BUSY)
_GONE = (Refusal.ABSENT, Refusal.REPLACED)


class StepError(Exception):
    """The step is not done, or nobody knows. Its text says which."""


async def do_step(
    ground: Ground, site: Site, step: Step, identity: Identity | None, *, look_first: bool
) -> tuple[str, str]:
    """The API server's audit id, and a word about it where it was done already. look_first: it may be done already.

    Raises StepError.
    """
    until = ground.now() + timedelta(seconds=ground.apply_seconds)
    open_question, last = look_first, "no answer"
    while True:
        try:
            if open_question and await _is_done(site, step):
                return "", "was done already"
            open_question = False
            done = await site.writer.do(step, dry_run=False, as_=identity)
            return done.audit_id, "was done already" if done.already else ""
        except WriteRefusedError as error:
            if (over := _over(step, error)) is not None:
                return error.audit_id, over
            if error.refusal is Refusal.EXISTS:
                open_question = True  # it may be ours, from before
            elif error.refusal not in _LATER:
                raise StepError(f"{step.says} was refused, nothing was changed by it: {error}") from error
            last, pause = str(error), error.retry_after_seconds or RETRY_SECONDS
        except WriteUnknownError as error:
            last, pause, open_question = str(error), RETRY_SECONDS, True
        except ClusterError as error:
            last, pause = str(error), RETRY_SECONDS
        await _later(ground, step, until, pause, last, unknown=open_question)


def _over(step: Step, error: WriteRefusedError) -> str | None:
    """The very object that should go is gone."""
    if step.verb in (Verb.DELETE, Verb.EVICT) and error.refusal in _GONE:
        return "was gone already"
    return None


async def _is_done(site: Site, step: Step) -> bool:
    """Raises StepError where somebody else changed it, ClusterError where it cannot be read."""
    match settled(step, await site.writer.read(step.target)):
        case Settled.DONE:
            return True
        case Settled.OPEN:
            return False
        case Settled.MOVED:
            raise StepError(f"{step.says} was not done: somebody else has changed {step.target} in the meantime")


async def _later(ground: Ground, step: Step, until: datetime, pause: float, last: str, *, unknown: bool) -> None:
    if ground.now() + timedelta(seconds=pause) >= until:
        state = "whether it was done is not known" if unknown else "it was not done"
        raise StepError(f"{step.says} did not come through, {state}: {last}")
    await ground.sleep(pause)
