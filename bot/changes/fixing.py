"""Remedies of an answer as changes: which of them gpubot can plan itself, each under an id that stays the same.

The id is a digest of the remedy's command. It is never trusted: the answer is worked out anew, and a remedy that is no
longer in it cannot be applied. The command is only read, never run: the plan comes from the kind of change.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.changes.collect import change_kinds
from bot.changes.kind import Ask
from bot.changes.workload_target import FORMS
from bot.domain.answer import Remedy
from bot.domain.change import Plan
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.view import View
from bot.domain.words import names
from bot.gpu.inventory import Inventory
from bot.scaling.forms import FORMS as SCALED
from bot.why.answering import Choice, Result
from bot.why.explain import Explanation
from bot.why.overview import Overview
from bot.why.subject import OWNERS

_ID = re.compile(r"[0-9a-f]{6}")
_KINDS = {word: kind for _, kind, words in OWNERS for word in words}


@dataclass(frozen=True, slots=True)
class Fix:
    """One remedy. `kind` is empty where it stays with people."""

    remedy: Remedy
    kind: str = ""
    arguments: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        return hashlib.sha256(self.remedy.command.encode()).hexdigest()[:6]

    @staticmethod
    def is_id(word: str) -> bool:
        return _ID.fullmatch(word.casefold()) is not None


def fixes(result: Result) -> tuple[Fix, ...]:
    """Each once, in the order of the answer. Raises UsageError where several things are meant."""
    if isinstance(result, Choice):
        can = names([one.typed for one in result.subjects], 6)
        raise UsageError(f"That can mean {can}: say which, for example `/gpu fix {result.subjects[0].typed}`.")
    found = [fix_of(remedy) for remedy in _remedies(result) if remedy.command and remedy.verified is not None]
    return tuple({one.id: one for one in reversed(found)}.values())[::-1]


def plan_of(fix: Fix, view: View, inventory: Inventory, now: datetime, because: str) -> Plan:
    """Raises UsageError where gpubot does not do that, NotFoundError where what it is about is gone."""
    if not fix.kind:
        raise UsageError(f"gpubot does not do that itself. By hand: `{fix.remedy.command}`.")
    arguments = dict(fix.arguments)
    if fix.kind == "delete":
        pod = view.pods.get(f"{arguments['namespace']}/{arguments['name']}")
        if pod is None:
            raise NotFoundError(f"The pod {arguments['name']} is gone.")
        arguments["uid"] = pod.uid
    if fix.kind == "restart":
        arguments["at"] = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    return change_kinds()[fix.kind].plan(Ask(arguments, view, inventory, now, because=because))


def _remedies(result: Result) -> Iterator[Remedy]:
    explanations: tuple[Explanation, ...] = ()
    if isinstance(result, Explanation):
        explanations = (result,)
    elif isinstance(result, Overview):
        explanations = tuple(one.explanation for one in result.lines)
    for explanation in explanations:
        for finding in explanation.findings:
            yield from finding.remedies


def fix_of(remedy: Remedy) -> Fix:
    """The remedy as a change, where its command is one that gpubot can plan."""
    kind, arguments = _read(remedy.command)
    return Fix(remedy, kind, tuple(arguments.items())) if kind in change_kinds() else Fix(remedy)


def _read(command: str) -> tuple[str, Mapping[str, str]]:
    """Kind and arguments of a kubectl command that is known word for word; an option more, and it is not."""
    try:
        words = shlex.split(command)
    except ValueError:
        return "", {}
    if words[:1] != ["kubectl"]:
        return "", {}
    namespace, rest = (words[2], words[3:]) if words[1:2] == ["-n"] and len(words) > 3 else ("", words[1:])
    match rest:
        case ["cordon" | "uncordon" as verb, node]:
            return verb, {"node": node}
        case ["drain", node, *options] if set(options) <= {"--ignore-daemonsets", "--delete-emptydir-data"}:
            return "drain", {"node": node}
        case ["delete", "pod", name]:
            return "delete", {"namespace": namespace or "default", "name": name}
        case ["rollout", "restart", title]:
            return _owned("restart", namespace, title)
        case ["scale", *words]:
            return _scaled(namespace, words)
        case _:
            return "", {}


def _scaled(namespace: str, words: Sequence[str]) -> tuple[str, Mapping[str, str]]:
    """`KIND/NAME` or `KIND NAME`, and the number; a kind may have its group behind it."""
    title, number = "/".join(words[:-1]), words[-1] if words else ""
    kind, _, name = title.partition("/")
    replicas = number.removeprefix("--replicas=")
    form = next((one for one, form in SCALED.items() if kind.partition(".")[0] in (form.word, form.resource)), "")
    if not form or not name or "/" in name or name.startswith("-") or replicas == number or not replicas.isdecimal():
        return "", {}
    return "scale", {"kind": form, "namespace": namespace or "default", "name": name, "replicas": replicas}


def _owned(verb: str, namespace: str, title: str) -> tuple[str, Mapping[str, str]]:
    word, slash, name = title.partition("/")
    kind = _KINDS.get(word, "")
    if not slash or kind not in FORMS:
        return "", {}
    return verb, {"kind": kind, "namespace": namespace or "default", "name": name}
