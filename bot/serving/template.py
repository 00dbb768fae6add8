"""Sentences with holes: `{name}` is filled, and a part in `[…]` is left out where one of its holes stays empty."""

from collections.abc import Mapping

from bot.domain.pattern import Pattern

UNKNOWN = "?"  # stands in a hole that was not filled outside of brackets
_OPTIONAL = Pattern(r"\[([^\[\]]*)\]")
_HOLE = Pattern(r"\{([a-z_]+)\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """`template` with `values`; what a value holds is never read as a template."""
    kept = _OPTIONAL.sub(lambda part: part[1] if _complete(part[1], values) else "", template)
    return _HOLE.sub(lambda hole: values.get(hole[1]) or UNKNOWN, kept)


def holes(template: str, *, required: bool = False) -> frozenset[str]:
    """Names of the holes; with `required` only those outside of brackets."""
    return frozenset(_HOLE.findall(_OPTIONAL.sub("", template) if required else template))


def _complete(part: str, values: Mapping[str, str]) -> bool:
    return all(values.get(name) for name in _HOLE.findall(part))
