"""All objects of a deployment, in the order in which they are created."""

import sys
from functools import cache

from bot.deploying.candidate import Rendering
from bot.deploying.manifests.manifest import Ground, Manifest
from bot.registry import collect


@cache
def manifests() -> tuple[Manifest, ...]:
    return tuple(sorted(collect(sys.modules[__package__], "MANIFEST", Manifest), key=lambda one: one.order))


def render(ground: Ground) -> Rendering:
    objects = tuple(made for one in manifests() if (made := one.render(ground)) is not None)
    notes = tuple(told for one in manifests() if one.note is not None and (told := one.note(ground)))
    return Rendering(objects, notes)
