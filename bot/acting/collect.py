"""All actors, and the one that an intent is for."""

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from bot.acting.actor import Actor, Doing
from bot.domain.document import Document
from bot.domain.intent import Intent
from bot.registry import collect


@cache
def actors() -> dict[type[Intent], Actor[Any]]:
    """By the kind of intent that they carry out."""
    found: tuple[Actor[Any], ...] = collect(sys.modules["bot.acting"], "ACTOR", Actor)
    return {actor.kind: actor for actor in found}


async def act(intents: Sequence[Intent], doing: Doing) -> Document | None:
    """What the person is shown instead of the preview: what came of the last of them; None where there is none.

    Raises what actors raise: UserError or UpstreamError with a sentence for the person.
    """
    shown: Document | None = None
    for intent in intents:
        shown = await actors()[type(intent)].act(intent, doing)
    return shown
