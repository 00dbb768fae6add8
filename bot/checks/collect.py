"""All checks: a file in one of the families' folders that ends in `CHECK = Check(...)` is found; no list to edit."""

import importlib
from functools import cache
from types import ModuleType

from bot.checks.check import About, AnyCheck, Check, EngineCheck, FleetCheck
from bot.registry import collect

FAMILIES = ("driver", "engine", "fabric", "fleet", "gpu", "heat", "links", "memory", "mig", "node", "plugin", "pods")


@cache
def checks() -> tuple[AnyCheck, ...]:
    """Every check, by family and name. Raises TypeError for a file whose constant is none."""
    found = (one for family in FAMILIES for one in collect(_package(family), "CHECK", About))
    return tuple(one for one in found if isinstance(one, (Check, EngineCheck, FleetCheck)))


def _package(family: str) -> ModuleType:
    return importlib.import_module(f"bot.checks.{family}")
