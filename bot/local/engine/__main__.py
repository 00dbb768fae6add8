"""An engine by itself: `python -m bot.local.engine MODEL --port 8000 [--startup-seconds 5]` and the flags of vLLM."""

import asyncio
import signal
import sys
from datetime import UTC, datetime, timedelta

from aiohttp import web

from bot.local.engine import startup
from bot.local.engine.api import NotServingError, handle
from bot.local.engine.arguments import read_args
from bot.local.engine.engine import Engine

_LOOK_SECONDS = 0.1


def utc_now() -> datetime:
    return datetime.now(UTC)


async def run(words: list[str]) -> int:
    """Until SIGTERM; the exit code of the process."""
    seconds, rest = _own(words)
    args = read_args(rest)
    if args.error:
        sys.stderr.write(f"{args.error}\n")
        return 2 if "error: " in args.error else 1
    began = utc_now()
    engine = Engine(args, began, began + timedelta(seconds=seconds), utc_now)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await _start(engine, seconds)
    runner = web.ServerRunner(web.Server(lambda request: _answer(engine, request)))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", args.port).start()
    _say(f"listening on {runner.addresses[0][1]}")
    await stop.wait()
    await runner.cleanup()
    return 0


async def _start(engine: Engine, seconds: float) -> None:
    """Writes its log as it goes."""
    told = 0
    while told == 0 or not engine.serves:
        log = startup.lines(engine.args, engine.started_at, seconds, utc_now())
        _say(*log[told:])
        told = len(log)
        await asyncio.sleep(_LOOK_SECONDS)
    _say(*startup.lines(engine.args, engine.started_at, seconds, utc_now())[told:])


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


async def _answer(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    try:
        return await handle(engine, request, request.path)
    except NotServingError:
        return web.Response(status=503)


def _own(words: list[str]) -> tuple[float, list[str]]:
    if "--startup-seconds" not in words:
        return 2.0, words
    at = words.index("--startup-seconds")
    return float(words[at + 1]), [*words[:at], *words[at + 2 :]]


if __name__ == "__main__":
    sys.exit(asyncio.run(run(sys.argv[1:])))
