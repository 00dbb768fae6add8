"""Where our verdict on a pod differs from the judge's, field by field. There are no exceptions."""

from collections.abc import Iterator, Mapping
from typing import Any

Line = Mapping[str, Any]
BY_NODE = ("nodes", "first")


def differences(theirs: Line, ours: Line) -> list[str]:
    """One sentence for each field, of fields that go by node one for each node. `seed` names the cluster on both sides."""
    found = []
    for field in sorted((theirs.keys() | ours.keys()) - {"seed"}):
        if field in BY_NODE and field in theirs and field in ours:
            found += _by_key(field, theirs[field], ours[field])
        elif field not in theirs or field not in ours or theirs[field] != ours[field]:
            found.append(_told(field, theirs.get(field, "nothing"), ours.get(field, "nothing")))
    return found


def _by_key(field: str, theirs: Line, ours: Line) -> Iterator[str]:
    for key in sorted(theirs.keys() | ours.keys()):
        if key not in theirs or key not in ours or theirs[key] != ours[key]:
            yield _told(f"{field} of {key}", theirs.get(key, "nothing"), ours.get(key, "nothing"))


def _told(what: str, theirs: Any, ours: Any) -> str:
    return f"{what}: scheduler {theirs!r}, ours {ours!r}"
