"""Finds the one constant in each module of a package: adding a file adds the thing."""

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def collect(package: ModuleType, constant: str, kind: type[T], *, only: str = "") -> tuple[T, ...]:
    """The `constant` of every module in `package` that has one, in order of module names; `only` names one module.

    Raises TypeError where the constant is of another type: a wrong file should stop the start, not be left out.
    """
    found: list[T] = []
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if only not in ("", info.name):
            continue
        value = getattr(importlib.import_module(f"{package.__name__}.{info.name}"), constant, None)
        if value is None:
            continue
        if not isinstance(value, kind):
            raise TypeError(f"{package.__name__}.{info.name}.{constant} is no {kind.__name__}")
        found.append(value)
    return tuple(found)
