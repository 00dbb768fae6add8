"""Look at the installation itself: settings and data, what it may read, its database, Slack, and where alerts go.

    gpubot doctor --config FILE        also with SLACK_BOT_TOKEN and SLACK_APP_TOKEN in the environment

Exit status: 0 all is well, 1 something is wrong, 2 something could not be told.
"""

import argparse
import asyncio
import os
import sys

from bot.cli.verb import Verb

_SIGNS = {True: "ok     ", False: "WRONG  ", None: "unsure "}
_TOKENS = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", default=os.environ.get("GPUBOT_CONFIG"), help="settings (YAML)")


def run(chosen: argparse.Namespace) -> int:
    from config.settings import load

    return asyncio.run(_told(load(chosen.config)))


async def _told(settings: object) -> int:
    from bot.app.checkup import examine
    from bot.domain.text import inert
    from config.settings import Settings

    assert isinstance(settings, Settings)
    answers: set[bool | None] = set()
    async for one in examine(settings, {name: os.environ.get(name, "") for name in _TOKENS}):
        answers.add(one.ok)
        fix = f"\n         {inert(one.fix, 300)}" if one.fix else ""
        sys.stdout.write(f"{_SIGNS[one.ok]}{one.part}: {inert(one.says, 600)}{fix}\n")
        sys.stdout.flush()
    return 1 if False in answers else 2 if None in answers else 0


VERB = Verb("doctor", "look at the installation itself: rights, database, Slack, routes", arguments, run)
