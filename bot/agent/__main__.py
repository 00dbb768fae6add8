"""python -m bot.agent: the agent alone, without the memory of the bot's other verbs (`gpubot agent` becomes this)."""

import argparse
import asyncio
import logging
import signal
import sys

from bot.agent.agent import NEEDS_NEW_CONTAINER, Agent
from bot.agent.options import arguments, options
from bot.domain.errors import BotError

LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"


def main() -> int:
    parser = argparse.ArgumentParser(prog="gpubot agent", allow_abbrev=False)
    arguments(parser)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format=LOG_FORMAT)
    try:
        return asyncio.run(_until_signal(Agent(options(parser.parse_args()))))
    except BotError as error:
        logging.getLogger("gpubot.agent").error("%s", error)
        return error.exit_status
    except OSError as error:
        logging.getLogger("gpubot.agent").error("The agent cannot serve: %s.", error.strerror or error)
        return 1


async def _until_signal(agent: Agent) -> int:
    """0 after SIGTERM or Ctrl-C; NEEDS_NEW_CONTAINER where the library and the driver do not fit."""
    running = asyncio.create_task(agent.run())
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    try:
        fault = await running
    except asyncio.CancelledError:
        return 0
    logging.getLogger("gpubot.agent").warning("ending for a new container: %s", fault.kind.value)
    return NEEDS_NEW_CONTAINER


if __name__ == "__main__":
    sys.exit(main())
