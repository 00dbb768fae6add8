"""Run the bot: read the clusters of the settings, answer in Slack. Ends cleanly on SIGTERM and Ctrl-C.

SLACK_BOT_TOKEN and SLACK_APP_TOKEN come from the environment; everything else from --config FILE or GPUBOT_CONFIG.
"""

import argparse
import asyncio
import os
import signal

from bot.cli.verb import Verb


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", default=os.environ.get("GPUBOT_CONFIG"), help="settings (YAML)")


def run(chosen: argparse.Namespace) -> int:
    from bot.app import App, run_until
    from bot.logs import set_up
    from bot.slack.connection import token
    from config.settings import load

    settings = load(chosen.config)
    tokens = token("xoxb-"), token("xapp-")
    set_up(settings.log.level, json_lines=settings.log.json_lines)

    async def until_signal() -> bool:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        return await run_until(App(settings, *tokens), stop)

    return 0 if asyncio.run(until_signal()) else 1


VERB = Verb("run", "run the bot in production", arguments, run)
