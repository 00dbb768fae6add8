"""An engine by itself: `python -m bot.local.engine MODEL --port 8000` and the other flags of vLLM.

Its own: --startup-seconds 5 (until it serves), --engine sglang, --ends out-of-memory-loading (see `endings`).
"""

import asyncio
import signal
import sys
from dataclasses import replace

from bot.local.engine import endings, startup
from bot.local.engine.arguments import EngineArgs, read_args
from bot.local.engine.server import EngineServer, utc_now

_LOOK_SECONDS = 0.05
_OWN = {"--startup-seconds": "2", "--engine": "vllm", "--ends": ""}
_GOODBYE = (
    "INFO:     Shutting down",
    "INFO:     Waiting for application shutdown.",
    "INFO:     Application shutdown complete.",
)


async def run(words: list[str]) -> int:
    """Until SIGTERM or its own end; the exit code of the process."""
    own, rest = _own(words)
    args = read_args(rest, engine=own["--engine"])
    if args.error:
        sys.stderr.write(f"{args.error}\n")
        return args.exit_code
    seconds = float(own["--startup-seconds"])
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = EngineServer(args, seconds)
    serving = asyncio.create_task(server.start())
    ended = await _write(server, replace(args, port=server.port), seconds, own["--ends"], stop)
    if not ended and not stop.is_set():
        await serving
        await stop.wait()
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    await server.stop()
    _say(*_GOODBYE)
    return endings.ENDINGS[own["--ends"]].exit_code if ended else 0


async def _write(server: EngineServer, args: EngineArgs, seconds: float, ends: str, stop: asyncio.Event) -> bool:
    """Writes the log of its start as it goes; whether the start failed."""
    told, began = 0, server.engine.started_at
    while not stop.is_set():
        now, serves = utc_now(), server.engine.serves
        log = endings.last_log(args, began, seconds, ends, now) if ends else startup.lines(args, began, seconds, now)
        _say(*log[told:])
        told = len(log)
        if ends and (now - began).total_seconds() >= endings.ENDINGS[ends].part * seconds:
            return True
        if serves and not ends:
            return False
        await asyncio.sleep(_LOOK_SECONDS)
    return False


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _own(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """What is not the engine's flags, taken out."""
    own, rest = dict(_OWN), list(words)
    for name in _OWN:
        if name in rest:
            at = rest.index(name)
            own[name] = rest[at + 1]
            del rest[at : at + 2]
    return own, rest


if __name__ == "__main__":
    sys.exit(asyncio.run(run(sys.argv[1:])))
