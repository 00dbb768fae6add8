"""Manifests as YAML that any reader takes as the same data: plain where a text cannot be taken for anything else.

Everything that is not plainly a word is written as JSON writes it, which YAML reads alike; so no name, label or value
can become structure, whatever it holds.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.domain.pattern import Pattern

_PLAIN = Pattern(r"[A-Za-z][A-Za-z0-9._/-]*(?:[:][A-Za-z0-9._/-]+)*")
# What YAML 1.1 and 1.2 readers take for something else than a text.
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "inf", "nan"})
_KEY_MOST = 1_000  # characters; YAML 1.2, 7.4: a key without a mark of its own has 1,024 at most
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def dump(objects: Iterable[Mapping[str, Any]]) -> str:
    """One document each. Raises ValueError for a number that JSON does not have either (infinite, no number)."""
    return "---\n".join("\n".join(_mapping(one, "")) + "\n" for one in objects)


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, inner in value.items():
        name = _text(key)
        if len(name) <= _KEY_MOST:
            yield from _item(f"{indent}{name}:", inner, indent)
        else:
            yield f"{indent}? {name}"
            yield from _item(f"{indent}:", inner, indent)


def _item(head: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        yield head
        yield from _mapping(value, indent + "  ")
    elif isinstance(value, (list, tuple)) and value:
        yield head
        yield from _sequence(value, indent)
    else:
        yield f"{head} {_scalar(value)}"


def _sequence(value: Sequence[Any], indent: str) -> Iterator[str]:
    for inner in value:
        if isinstance(inner, (Mapping, list, tuple)) and inner:
            deeper = indent + "  "
            nested = _mapping(inner, deeper) if isinstance(inner, Mapping) else _sequence(inner, deeper)
            first, *rest = nested
            yield f"{indent}- {first[len(deeper) :]}"
            yield from rest
        else:
            yield f"{indent}- {_scalar(inner)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, (list, tuple)):
        return "[]"
    told = json.dumps(value, allow_nan=False)
    if isinstance(value, float) and "e" in told and "." not in told:  # YAML 1.1 wants the point
        return told.replace("e", ".0e")
    return told


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS:
        return text
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(sign: str) -> str:
    """YAML's double quotes know what JSON's do, and characters beyond the first plane by eight digits."""
    if sign in _ESCAPES:
        return _ESCAPES[sign]
    number = ord(sign)
    if " " <= sign <= "~":
        return sign
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
