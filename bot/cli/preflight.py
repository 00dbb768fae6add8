"""The ten-point checklist for GPU nodes, as a gate in CI: after every expansion, driver upgrade and new node.

    gpubot preflight                                   the cluster that kubectl would use
    gpubot preflight --from captured/ --pool h200      a folder or file, one pool
    gpubot preflight --junit preflight.xml --json      a test case for each node and point; all of it as JSON

Nothing is written to the cluster. Exit status: 0 ready, 1 not ready, 2 could not tell (a required point was not told,
or there is no GPU node), 3 wrong use or no such pool.
"""

import argparse
import asyncio
import sys
from pathlib import Path

import msgspec

from bot.checks.preflight.junit import junit
from bot.checks.preflight.report import Asked, Report, Verdict, report, wanted
from bot.cli import source
from bot.cli.verb import Verb
from bot.command import Reply
from bot.domain.errors import ConfigError
from bot.domain.evidence import NO_EVIDENCE, Evidence, Wanted
from bot.domain.view import View
from bot.gpu.policy import USUAL
from bot.views import gpu_preflight, gpu_preflight_json, text
from commands.preflight import COMMAND

LOOK_SECONDS = 20.0  # a gate may wait for readings and logs longer than people in a channel
STATUS = {Verdict.READY: 0, Verdict.NOT_READY: 1, Verdict.UNKNOWN: 2}


def arguments(parser: argparse.ArgumentParser) -> None:
    source.arguments(parser)
    parser.add_argument("--pool", default="", metavar="P", help="only pools whose name contains this")
    parser.add_argument("--node", default="", metavar="NODE", help="only this node")
    parser.add_argument("--json", action="store_true", help="the whole answer as JSON")
    parser.add_argument("--junit", metavar="FILE", help="write JUnit's XML to this file too")


def run(chosen: argparse.Namespace) -> int:
    opened = source.open_source(chosen, COMMAND.needs)
    policy, asked = USUAL, Asked(chosen.pool, chosen.node)
    look_up = wanted(opened.view, policy, opened.now, asked)
    found = report(opened.view, policy, _looked(opened, look_up), opened.now, asked)
    reply = gpu_preflight.show(found, opened.view, opened.now)
    if chosen.junit:
        _write(Path(chosen.junit), junit(found, opened.now, _silent(opened.view)))
    print(_json(found, reply, opened) if chosen.json else text.render(reply.document))
    return STATUS[found.verdict]


def _looked(opened: source.Opened, look_up: Wanted) -> Evidence:
    if opened.looker is None or not look_up:
        return NO_EVIDENCE
    return asyncio.run(opened.looker.look(look_up, LOOK_SECONDS))


def _silent(view: View) -> list[str]:
    return [name for name in gpu_preflight.NEEDED if not view.knows(name)]


def _json(found: Report, reply: Reply, opened: source.Opened) -> str:
    whole = gpu_preflight_json.whole(found, reply, opened.view)
    return msgspec.json.format(msgspec.json.encode(whole), indent=2 if sys.stdout.isatty() else 0).decode()


def _write(file: Path, document: bytes) -> None:
    try:
        file.write_bytes(document)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}") from error


VERB = Verb("preflight", "the ten-point checklist for GPU nodes, as a gate in CI", arguments, run)
