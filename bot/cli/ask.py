"""Ask one line, as it would be typed in Slack, and print the answer.

    gpubot ask "gpu status"                              the cluster that kubectl would use
    gpubot ask --from captured/ "gpu status --by team"   a folder or file
    gpubot ask --json "gpu status product=H200"          for scripts

Nothing is ever changed: changes are only shown. Exit status: 0 answered, 2 could not tell because a source was
silent, 3 not understood or not found. A line that begins with dashes goes after `--`.
"""

import argparse
import asyncio
import contextlib
import sys
from collections.abc import Sequence

import msgspec

from bot.cli import source
from bot.cli.verb import Verb
from bot.command import Cluster, Command
from bot.dialogue import Asked, all_commands, answer, likely_commands, understand
from bot.domain.answer import Answer
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.policy import USUAL


def arguments(parser: argparse.ArgumentParser) -> None:
    source.arguments(parser)
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    parser.add_argument("line", nargs="+", metavar="LINE", help="what to ask, such as: gpu status")


def run(chosen: argparse.Namespace) -> int:
    known, asked = _understood(" ".join(chosen.line))  # a line that is not understood needs no cluster
    if asked.command.needs:
        opened = source.open_source(chosen, asked.command.needs)
    else:
        opened = source.Opened(View("default"), source.moment())
    view, now = opened.view, opened.now
    cluster = Cluster(view.cluster, view, Inventory(view, USUAL), looker=opened.looker)
    if asked.cluster not in (None, view.cluster):
        raise NotFoundError(
            f"@{asked.cluster} is not open here: give --kubeconfig or --context to ask another cluster."
        )
    reply = asyncio.run(answer(asked, {view.cluster: cluster}, view.cluster, lambda: now, known))
    print(_json(reply.answer) if chosen.json else reply.answer.text)
    return 0 if reply.answer.told else 2


def _understood(line: str) -> tuple[Sequence[Command], Asked]:
    """With all commands only where the first word's own do not do: importing them takes longer than most answers."""
    if likely := likely_commands(line):
        with contextlib.suppress(UsageError):  # said below, with all commands that there are
            return likely, understand(line, likely)
    known = all_commands()
    return known, understand(line, known)


def _json(told: Answer) -> str:
    """The answer for scripts; times in RFC 3339, ages in seconds."""
    return msgspec.json.format(msgspec.json.encode(told), indent=2 if sys.stdout.isatty() else 0).decode()


VERB = Verb("ask", "ask one line, as typed in Slack", arguments, run)
