"""What somebody asks to deploy, as the texts from which the same plan is made again, and what is made of them."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from bot.changes.kind import Ask
from bot.deploying.candidate import Candidate, Choice
from bot.deploying.planner import choose
from bot.deploying.trying import name_of, namespace_of
from bot.deploying.wish import Wish
from bot.deploying.wishing import read_wish
from bot.domain.errors import UsageError
from bot.domain.time import read_time
from bot.grammar import quoted
from bot.serving.catalogue import catalogue

OPTIONS = (
    "variant",
    "replicas",
    "context",
    "concurrency",
    "namespace",
    "name",
    "engine",
    "image",
    "gpu",
    "pool",
    "tp",
    "source",
    "storage",
    "autoscale",
    "max",
    "priority",
    "queue",
    "expose",
    "monitor",
    "args",
)


def wish_of(arguments: Mapping[str, str]) -> Wish:
    """Raises UsageError."""
    told = {key: arguments[key] for key in OPTIONS if arguments.get(key)}
    spare = {"yes": True, "no": False}.get(arguments.get("spare", ""))
    wish = read_wish((arguments.get("model", ""),), told, catalogue(), _ends_at(arguments))
    return replace(wish, spare=spare, waits=arguments.get("wait") == "yes")


def choice_of(ask: Ask, wish: Wish) -> Choice:
    return choose(wish, catalogue(), ask.view, ask.inventory, ask.now, ask.evidence)


def pinned(arguments: Mapping[str, str], chosen: Candidate) -> dict[str, str]:
    """With everything that the planner chose, so that the same is made of them later."""
    draft, wish = chosen.draft, chosen.ground.wish
    return {
        **arguments,
        "model": draft.model.names[0],
        "variant": draft.variant.id,
        "context": str(draft.context_tokens),
        "namespace": namespace_of(wish),
        "name": name_of(wish),
        "engine": draft.support.engine,
        "image": draft.image,
        "gpu": draft.pool.product,
        "tp": str(draft.tensor_parallel),
        "spare": "yes" if chosen.ground.spare else "no",
    }


def typed(arguments: Mapping[str, str]) -> str:
    """The line that asks for the same."""
    told = {key: arguments[key] for key in (*OPTIONS, "wait") if arguments.get(key)}
    if arguments.get("ends_at"):
        told["until"] = arguments["ends_at"]
    return shlex.join(("deploy", arguments["model"], *(f"{key}={value}" for key, value in told.items())))


def _ends_at(arguments: Mapping[str, str]) -> datetime | None:
    text = arguments.get("ends_at", "")
    found = read_time(text) if text else None
    if text and found is None:
        raise UsageError(f"{quoted(text)} is no time.")
    return found
