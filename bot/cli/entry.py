"""From an argument list to an exit status. Nothing ends in a traceback: a deliberate error is one sentence.

Exit status: 0 answered, 1 something fires or failed, 2 could not tell (a source was silent), 3 not understood or not
found. An unexpected error ends with 1 and an id; the trace goes to a file of that name in the temporary folder.
"""

import argparse
import os
import sys
import tempfile
import traceback
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import bot.cli
from bot import __version__
from bot.cli.verb import WRONG_USE, Verb
from bot.domain.errors import BotError, UsageError
from bot.domain.text import inert
from bot.registry import collect


class _Parser(argparse.ArgumentParser):
    """argparse that raises our error instead of leaving the process with status 2."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}. See `{self.prog} --help`.")


def run(arguments: Sequence[str]) -> int:
    """Runs the verb that the arguments name."""
    try:
        chosen = _parser(_verbs(arguments)).parse_args(list(arguments) or ["--help"])
        status: int = chosen.verb.run(chosen)
        sys.stdout.flush()
    except BrokenPipeError:  # `gpubot ask … | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UsageError as error:
        return _say(str(error), WRONG_USE)
    except BotError as error:
        return _say(str(error), error.exit_status)
    except KeyboardInterrupt:
        return _say("Stopped.", 130)
    except Exception as error:  # noqa: BLE001  # the outermost frame: a bug must not greet people with a traceback
        return _say(_bug(error), 1)
    return status


def _verbs(arguments: Sequence[str]) -> tuple[Verb, ...]:
    """The one that is named, so that asking does not pay for what the others import; all of them where none is."""
    return collect(bot.cli, "VERB", Verb, only=arguments[0] if arguments else "") or collect(bot.cli, "VERB", Verb)


def _parser(known: Sequence[Verb]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gpubot",
        description="True causes and smallest changes for GPU inference clusters on Kubernetes.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"gpubot {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for verb in known:
        about = sys.modules[verb.run.__module__].__doc__ or verb.summary
        sub = verbs.add_parser(
            verb.name,
            help=verb.summary,
            description=about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        verb.arguments(sub)
        sub.set_defaults(verb=verb)
    return parser


def _say(sentence: str, status: int) -> int:
    print(inert(sentence, 1_500), file=sys.stderr)
    return status


def _bug(error: Exception) -> str:
    name = f"gpubot-{uuid.uuid4().hex[:8]}"
    trace = Path(tempfile.gettempdir()) / f"{name}.txt"
    trace.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    return f"Something broke inside gpubot ({name}); the details are in {trace}. Please report it with that file."
