"""The lines that are known, a module for each family. Adding a module with a constant FAMILY adds its signatures."""

import importlib
import pkgutil

from bot.serving.signature import Family, Signature


def _families() -> tuple[Family, ...]:
    """Every module's FAMILY. Raises TypeError for a module without one: a wrong file should stop the start."""
    found = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        family = getattr(importlib.import_module(f"{__name__}.{info.name}"), "FAMILY", None)
        if not isinstance(family, Family):
            raise TypeError(f"{__name__}.{info.name}.FAMILY is no Family")
        found.append(family)
    return tuple(found)


FAMILIES: tuple[Family, ...] = _families()
SIGNATURES: tuple[Signature, ...] = tuple(signature for family in FAMILIES for signature in family.signatures)
