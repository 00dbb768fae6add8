"""Whether a step is done already, from the object as it is now: asked after a crash and after an unknown outcome.

Nothing is done twice, and nothing is done over what somebody else did in between: then the answer is that it moved.
"""

import enum
from collections.abc import Mapping
from typing import Any

from bot.domain.change import Step, Verb

MANAGED_BY = "app.kubernetes.io/managed-by"
OURS = "gpubot"


class Settled(enum.StrEnum):
    """What the object says of a step."""

    DONE = "done"
    OPEN = "open"  # not done, and what was there before still is
    MOVED = "moved"  # somebody else changed it in the meantime


def settled(step: Step, found: Mapping[str, Any] | None) -> Settled:
    """`found` is the target as it is now; None where there is none."""
    match step.verb:
        case Verb.CREATE:
            return _created(found)
        case Verb.DELETE | Verb.EVICT:
            return _gone(step, found)
        case _:
            return _patched(step, found)


def _created(found: Mapping[str, Any] | None) -> Settled:
    if found is None:
        return Settled.OPEN
    labels = found.get("metadata", {}).get("labels") or {}
    return Settled.DONE if labels.get(MANAGED_BY) == OURS else Settled.MOVED


def _gone(step: Step, found: Mapping[str, Any] | None) -> Settled:
    """An object that is going away is done; one of the same name with another uid is somebody else's."""
    if found is None:
        return Settled.DONE
    metadata = found.get("metadata", {})
    if step.target.uid and metadata.get("uid") != step.target.uid:
        return Settled.DONE
    return Settled.DONE if metadata.get("deletionTimestamp") else Settled.OPEN


def _patched(step: Step, found: Mapping[str, Any] | None) -> Settled:
    if found is None or (step.target.uid and found.get("metadata", {}).get("uid") != step.target.uid):
        return Settled.MOVED
    if contains(found, step.body) or (step.after and _holds(found, step.after)):
        return Settled.DONE
    return Settled.OPEN if _holds(found, step.before) else Settled.MOVED


def _holds(found: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
    """What people are shown of a step are the fields that matter: a note that came along with them does not."""
    return all(_like(at(found, path), value) for path, value in fields.items())


def contains(found: Any, patch: Any) -> bool:
    """Whether a JSON merge patch would change nothing (RFC 7386): a null is a field that is absent or has its zero."""
    if isinstance(patch, Mapping):
        there = found if isinstance(found, Mapping) else {}
        return all(contains(there.get(key), value) for key, value in patch.items() if key not in _IDENTITY)
    return _like(found, patch)


_IDENTITY = frozenset({"apiVersion", "kind"})  # of an applied object; they cannot differ


def at(found: Any, path: str) -> Any:
    """The value at `spec.template.metadata.annotations.kubectl.kubernetes.io/restartedAt`: keys may hold dots."""
    if not path:
        return found
    if not isinstance(found, Mapping):
        return None
    parts = path.split(".")
    for size in range(len(parts), 0, -1):
        key = ".".join(parts[:size])
        if key in found:
            return at(found[key], ".".join(parts[size:]))
    return None


def _like(one: Any, other: Any) -> bool:
    """An absent field is its zero value, as the API server leaves such fields out."""
    return one == other or (not one and not other)
