"""What `kubectl logs` shows of a simulated engine: its start, what it said since, how one that is no more ended."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.local.cluster.simulator.pod_run import PodRun
from bot.local.engine import Engine, startup
from bot.local.engine.endings import last_log
from bot.local.engine.said import load_line

_EVERY_SECONDS = 10


def now_of(run: PodRun, engine: Engine, now: datetime) -> Iterator[str]:
    """Of a container that runs; what its trouble will end it with is not yet there."""
    seconds = (engine.ready_at - engine.started_at).total_seconds()
    ending = run.trouble.ending if run.trouble else ""
    if ending and not engine.serves:
        yield from last_log(engine.args, engine.started_at, seconds, ending, now)
        return
    yield from startup.lines(engine.args, engine.started_at, seconds, now)
    yield from engine.said
    if engine.serves and (told := load_line(engine)):
        at = now - timedelta(seconds=now.timestamp() % _EVERY_SECONDS)
        yield startup.stamped(engine.args, max(at, engine.ready_at), told)


def last_of(run: PodRun) -> Iterator[str]:
    """Of the run that ended last."""
    began, ended = run.last["startedAt"], run.last["finishedAt"]
    args, ending, message = run.engine_args, run.last.get("ending", ""), str(run.last.get("message", ""))
    if ending:
        yield from last_log(args, began, run.ready_seconds, ending, ended)
        return
    yield from startup.lines(args, began, run.ready_seconds, ended)
    if message != args.error:
        yield from message.splitlines()
