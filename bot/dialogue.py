"""A typed line in, a reply out: the same for Slack and for a terminal.

    words → command → options → cluster → what to look up → answer

Everything that is wrong with a line is said in one sentence together with what to type instead.
"""

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

import commands
from bot.command import Cluster, Command, Reply, Request, options_of
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.person import TERMINAL, Asker
from bot.grammar import Words, nearest, parse, quoted
from bot.registry import collect
from bot.views.text import render

LOOK_SECONDS = 0.7  # an answer takes a second at most, and Slack's people wait for it
_OWN = ("gpu", "/gpu", "gpubot")


def all_commands() -> tuple[Command, ...]:
    return collect(commands, "COMMAND", Command)


def likely_commands(line: str) -> tuple[Command, ...]:
    """Those that the line's first word can mean, without importing any other; empty where all have to be known.

    A command's file is named after its words: `node_drain.py` is `node drain`. Raises UsageError.
    """
    words = _help_first(_without_own_name(parse(line)))
    first = words.words[0].casefold().lstrip("/")
    if first == "help":
        return ()
    named = (one.name for one in pkgutil.iter_modules(commands.__path__) if one.name.partition("_")[0] == first)
    return tuple(found for name in sorted(named) for found in collect(commands, "COMMAND", Command, only=name))


@dataclass(frozen=True, slots=True)
class Asked:
    """A line that was understood: which command, with which options, about which cluster (None: the usual one)."""

    command: Command
    words: tuple[str, ...]
    options: dict[str, str]
    typed: str
    cluster: str | None


def understand(line: str, known: Sequence[Command]) -> Asked:
    """Raises UsageError."""
    words = _help_first(_without_own_name(parse(line)))
    command = _find(words, known)
    if command is None:
        raise UsageError(_no_command(words, known))
    if command.takes_if:
        words = _help_first(_without_own_name(parse(line, after_if=command.option_names)))
    rest = words.after(len(command.words))
    return Asked(command, rest.words, options_of(command, rest), words.typed, words.cluster)


def request_of(
    asked: Asked,
    clusters: Mapping[str, Cluster],
    usual: str,
    now: Callable[[], datetime],
    known: Sequence[Command],
    asker: Asker = TERMINAL,
) -> Request:
    """The question as a command takes it; `usual` is the cluster meant where none is named. Raises UserError."""
    name = asked.cluster or usual
    if name not in clusters:
        raise NotFoundError(no_cluster(name, list(clusters)))
    moment = now()
    cluster, names = clusters[name], tuple(clusters)
    return Request(asked.words, asked.options, asked.typed, cluster, moment, names, tuple(known), asker=asker)


async def answer(
    asked: Asked,
    clusters: Mapping[str, Cluster],
    usual: str,
    now: Callable[[], datetime],
    known: Sequence[Command],
    asker: Asker = TERMINAL,
) -> Reply:
    """Look up what the command wants, then let it decide without awaiting. Raises UserError, UpstreamError."""
    request = request_of(asked, clusters, usual, now, known, asker)
    looker = request.cluster.looker
    if asked.command.wants is not None and looker is not None and (wanted := asked.command.wants(request)):
        request = replace(request, evidence=await looker.look(wanted, LOOK_SECONDS), now=now())
    return decide(asked, request)


def decide(asked: Asked, request: Request) -> Reply:
    """The command's answer to a request, with its text. Raises UserError or UpstreamError."""
    reply = asked.command.run(request)
    told = msgspec.structs.replace(
        reply.answer, question=asked.typed, cluster=request.cluster.name, text=render(reply.document)
    )
    return replace(reply, answer=told)


def no_cluster(name: str, known: Sequence[str]) -> str:
    close = nearest(name, list(known))
    hint = f"did you mean `@{close}`? " if close else ""
    return f"No cluster is called {quoted(name)}; {hint}Known here: {', '.join(known)}."


def _without_own_name(words: Words) -> Words:
    """`/gpu status`, `gpu status` and `status` are the same question."""
    first = words.words[0].casefold() if words.words else ""
    return words.after(1) if first in _OWN else words


def _help_first(words: Words) -> Words:
    """Nothing at all, `?`, `status --help` and the like are questions to the help command."""
    asked = words.options.keys() & {"help", "h"}
    if asked:
        value = [text for name in sorted(asked) if (text := words.options[name])]
        return Words(("help", *words.words, *value), {}, words.cluster, words.typed)
    if not words.words or words.words[0] == "?":
        return Words(("help", *words.words[1:]), words.options, words.cluster, words.typed)
    return words


def _find(words: Words, known: Sequence[Command]) -> Command | None:
    typed = tuple(word.casefold().lstrip("/") for word in words.words)
    by_words = {command.words: command for command in known}
    longest = max((len(command.words) for command in known), default=0)
    return next((by_words[typed[:size]] for size in range(longest, 0, -1) if typed[:size] in by_words), None)


def _no_command(words: Words, known: Sequence[Command]) -> str:
    names = {command.words[0]: command for command in known}
    typed = words.words[0]
    close = nearest(typed.lstrip("/"), list(names)) or next(
        (first for word in words.words[1:] if (first := word.casefold()) in names), None
    )
    if close:
        return f"There is no command {quoted(typed)}; did you mean `{names[close].examples[0]}`?"
    return f"There is no command {quoted(typed)}; there are: {', '.join(sorted(names))}. Try `{known[-1].examples[0]}`."
