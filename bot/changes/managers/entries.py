"""metadata.managedFields, read: who set which fields how, and when.

https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management; the form of fieldsV1 is that of
kubernetes-sigs/structured-merge-diff:fieldpath/serialize-pe.go.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from bot.domain.fields import Fields
from bot.domain.text import inert

PATHS_MOST = 2000  # of one entry; a pod template with many containers has some hundred
DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """operation: Apply (it says what it wants) or Update (it wrote). time: RFC 3339, of its last change."""

    manager: str
    operation: str
    subresource: str
    time: str
    paths: tuple[str, ...]


def entries(raw: Fields) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            manager=inert(entry.text("manager")),
            operation=entry.text("operation"),
            subresource=entry.text("subresource"),
            time=entry.text("time"),
            paths=paths(entry.get("fieldsV1")),
        )
        for entry in raw.each("metadata", "managedFields")
    )


def paths(fields: Any) -> tuple[str, ...]:
    """The leaves as the API server writes them in conflicts: `.spec.template.spec.containers[name="engine"].image`."""
    found: list[str] = []
    for path in _leaves(fields, "", 0):
        found.append(inert(path))
        if len(found) == PATHS_MOST:
            break
    return tuple(found)


def _leaves(fields: Any, path: str, depth: int) -> Iterator[str]:
    inner = fields if isinstance(fields, dict) else {}
    below = [(step, value) for step, value in inner.items() if step != "."]
    if path and (not below or depth == DEEPEST):
        yield path
        return
    for step, value in below:
        yield from _leaves(value, path + _spelled(step), depth + 1)


def _spelled(step: str) -> str:
    kind, _, rest = step.partition(":")
    if kind == "f":
        return f".{rest}"
    if kind == "i":
        return f"[{rest}]"
    return f"[{_key(rest)}]" if kind == "k" else f"[={rest}]"


def _key(text: str) -> str:
    """`{"name":"engine"}` → `name="engine"`."""
    try:
        named = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return text
    return ",".join(f"{name}={msgspec.json.encode(value).decode()}" for name, value in named.items())
