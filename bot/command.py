"""What a command is: words that name it, options it takes, and a function from a question to an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.alert_rules import AlertRules
from bot.domain.answer import Answer
from bot.domain.document import Document
from bot.domain.errors import UsageError
from bot.domain.evidence import NO_EVIDENCE, Evidence, Wanted
from bot.domain.intent import Intent
from bot.domain.node_past import FleetPast
from bot.domain.person import TERMINAL, Access, Asker
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.grammar import Words, nearest, quoted
from bot.ports import AuditReader, EngineReader, HistoryReader, IncidentReader, Looker, NodePastReader

if TYPE_CHECKING:
    from bot.checks.preflight.kept import Preflights

__all__ = ("Access", "Cluster", "Command", "Option", "Reply", "Request", "options_of")


@dataclass(frozen=True, slots=True)
class Option:
    """`key=value`. With `choices` only those are taken; `also` are other names for it."""

    name: str
    explains: str
    example: str
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """One cluster as a command sees it: nothing about it changes while the command decides."""

    name: str
    view: View
    inventory: Inventory
    history: HistoryReader | None = None  # why pods waited before now; None: nothing is kept here
    looker: Looker | None = None  # looks up what a view does not keep; None: nothing can be looked up
    past: NodePastReader | None = None  # what nodes ran before; None: nothing is kept here
    audit: AuditReader | None = None  # what was asked and done, and freezes; None: nothing is recorded here
    incidents: IncidentReader | None = None  # alerts, incidents, silences; None: nothing is watched from here
    preflights: "Preflights | None" = None  # the checklist as it was run by itself; None: it is not run by itself here
    alert_rules: AlertRules | None = None  # routes and the like; None: nothing is watched from here
    engines: EngineReader | None = None  # what inference engines say of themselves; None: nobody keeps that here

    @property
    def nodes_before(self) -> FleetPast | None:
        """What its nodes ran before; None where nothing is kept."""
        return None if self.past is None else self.past.past(self.name)


@dataclass(frozen=True, slots=True)
class Request:
    """One question: the words after the command's own, mended options, the cluster that is meant, and the time.

    `evidence` is what was looked up for it, as the command's `wants` asked.
    """

    words: tuple[str, ...]
    options: Mapping[str, str]
    typed: str
    cluster: Cluster
    now: datetime
    clusters: tuple[str, ...] = ()
    commands: tuple["Command", ...] = ()
    evidence: Evidence = NO_EVIDENCE
    asker: Asker = TERMINAL


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and how it looks. `intents` are what is to be done besides: in Slack, by whom may, never elsewhere."""

    answer: Answer
    document: Document
    intents: tuple[Intent, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """`words` are typed after `/gpu`. `page` is the module's docstring: its documentation."""

    words: tuple[str, ...]
    summary: str
    access: Access
    examples: tuple[str, ...]
    run: Callable[[Request], Reply]
    options: tuple[Option, ...] = ()
    takes_words: str = ""  # what further words mean; empty: none are taken
    page: str = ""
    needs: frozenset[str] = field(default_factory=frozenset)  # kinds it reads; empty: all
    wants: Callable[[Request], Wanted] | None = None  # what to look up before it is run
    takes_if: bool = False  # after `if`, `key=value` is an option only where the command has that one

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def option_names(self) -> frozenset[str]:
        return frozenset(name for option in self.options for name in (option.name, *option.also))

    @property
    def usage(self) -> str:
        parts = [f"/gpu {self.name}", self.takes_words, *(f"[{_form(option)}]" for option in self.options)]
        return " ".join(part for part in parts if part)


def _form(option: Option) -> str:
    return f"--{option.name} {'|'.join(option.choices)}" if option.choices else option.example


def options_of(command: Command, words: Words) -> dict[str, str]:
    """The options by their own names. Raises UsageError that says what is wrong and what to type instead."""
    known = {name: option for option in command.options for name in (option.name, *option.also)}
    if words.words and not command.takes_words:
        raise UsageError(_surplus(command, words.words[0], known))
    chosen: dict[str, str] = {}
    for name, value in words.options.items():
        option = known.get(name)
        if option is None:
            raise UsageError(_unknown(command, name, known))
        if not value:
            raise UsageError(f"`{option.name}` needs a value, for example `/gpu {command.name} {option.example}`.")
        if option.choices and value.casefold() not in option.choices:
            close = nearest(value, list(option.choices))
            hint = f"did you mean `{close}`? " if close else ""
            raise UsageError(
                f"`{option.name}` cannot be {quoted(value)}: {hint}It is one of {', '.join(option.choices)}, "
                f"for example `/gpu {command.name} {option.example}`."
            )
        chosen[option.name] = value.casefold() if option.choices else value
    return chosen


def _unknown(command: Command, name: str, known: Mapping[str, Option]) -> str:
    close = nearest(name, list(known))
    example = known[close].example if close else command.examples[0].removeprefix(f"/gpu {command.name} ")
    if not known:
        return f"`/gpu {command.name}` takes no options; type just that."
    return f"`/gpu {command.name}` has no option {quoted(name)}; try `/gpu {command.name} {example}`."


def _surplus(command: Command, word: str, known: Mapping[str, Option]) -> str:
    option = known.get(word.casefold()) or known.get(nearest(word, list(known)) or "")
    example = f"/gpu {command.name} {option.example}" if option else command.examples[0]
    return f"{quoted(word)} is not understood after `/gpu {command.name}`; try `{example}`."
