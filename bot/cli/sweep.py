"""What is broken right now in the whole cluster: each root once, the worst first, with whom it hits and what to do.

    gpubot sweep                      the cluster that kubectl would use
    gpubot sweep --from captured/     a folder or file
    gpubot sweep --json               for scripts

All health checks of all GPU nodes, and everything that does not run and should. What only waits (a queue, a model that
loads in its time, an upgrade under way) does not fire. Engines are read once: what takes a minute to see, such as one
that makes no more tokens, only a running bot sees. Nothing is written to the cluster. Exit status: 0 nothing fires,
1 something does, 2 could not tell because nodes or pods were not read, 3 wrong use.
"""

import argparse
import asyncio
import sys

import msgspec

from bot.cli import source
from bot.cli.verb import Verb
from bot.command import Reply
from bot.domain.evidence import NO_EVIDENCE
from bot.gpu.inventory import Inventory
from bot.gpu.policy import USUAL
from bot.sweep import engines
from bot.sweep.sweep import KINDS, sweep, wanted
from bot.sweep.trouble import Sweep
from bot.views import sweep as views
from bot.views import sweep_json, text

LOOK_SECONDS = 20.0  # logs and readings of a whole fleet


def arguments(parser: argparse.ArgumentParser) -> None:
    source.arguments(parser)
    parser.add_argument("--json", action="store_true", help="all of it as JSON")


def run(chosen: argparse.Namespace) -> int:
    opened = source.open_source(chosen, KINDS)
    inventory = Inventory(opened.view, USUAL)
    asked = wanted(opened.view, inventory, opened.now) + engines.wanted(opened.view)
    evidence = NO_EVIDENCE
    if opened.looker is not None and asked:
        evidence = asyncio.run(opened.looker.look(asked, LOOK_SECONDS))
    swept = sweep(
        opened.view, inventory, evidence, opened.now, asked=asked, told=engines.from_evidence(opened.view, evidence)
    )
    reply = views.show(swept, opened.view, opened.now)
    print(_json(swept, reply) if chosen.json else text.render(reply.document))
    return status(swept)


def status(swept: Sweep) -> int:
    """As the module says."""
    return 1 if swept.entries else 0 if swept.told else 2


def _json(swept: Sweep, reply: Reply) -> str:
    whole = sweep_json.whole(swept, reply)
    return msgspec.json.format(msgspec.json.encode(whole), indent=2 if sys.stdout.isatty() else 0).decode()


VERB = Verb("sweep", "what is broken now, each root once, with what to do", arguments, run)
