"""All engines that can be deployed, found by their constant."""

import sys
from collections.abc import Mapping
from functools import cache

from bot.registry import collect
from bot.serving.engines.engine import Engine


@cache
def engines() -> Mapping[str, Engine]:
    """By name."""
    return {one.name: one for one in collect(sys.modules[__package__], "ENGINE", Engine)}
