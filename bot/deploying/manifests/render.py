"""All objects of a deployment, in the order in which they are created; the workload says what it was made from."""

import hashlib
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from bot.deploying.candidate import Rendering
from bot.deploying.manifests.manifest import Ground, Manifest
from bot.registry import collect
from bot.serving.catalogue import catalogue

PLAN, CATALOGUE = "gpubot.dev/plan", "gpubot.dev/catalogue"


@cache
def manifests() -> tuple[Manifest, ...]:
    return tuple(sorted(collect(sys.modules[__package__], "MANIFEST", Manifest), key=lambda one: one.order))


def render(ground: Ground) -> Rendering:
    objects = tuple(made for one in manifests() if (made := one.render(ground)) is not None)
    notes = tuple(told for one in manifests() if one.note is not None and (told := one.note(ground)))
    made_from = {PLAN: digest(objects), CATALOGUE: catalogue().as_of}
    rendering = Rendering(objects, notes)
    rendering.workload["metadata"]["annotations"] = made_from
    return rendering


def digest(objects: Sequence[dict[str, Any]]) -> str:
    """Of everything that is created: two with the same are the same."""
    return hashlib.sha256(msgspec.json.encode(objects, order="sorted")).hexdigest()[:16]
