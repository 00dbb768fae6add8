"""All advice, and what it remarks on one engine."""

import sys
from functools import cache

from bot.registry import collect
from bot.serving.advice.advice import Advice, Remark, Setup


@cache
def advice() -> tuple[Advice, ...]:
    return collect(sys.modules[__package__], "ADVICE", Advice)


def remarks(setup: Setup) -> tuple[Remark, ...]:
    """What keeps it from working first."""
    found = [remark for one in advice() for remark in one.judge(setup)]
    return tuple(sorted(found, key=lambda one: not one.grave))
