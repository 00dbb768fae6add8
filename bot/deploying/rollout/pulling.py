"""How a pull goes, by what the kubelet says: kubernetes/kubernetes:pkg/kubelet/images/image_manager.go.

Nobody tells how much of an image is there already. How large it is the kubelet says once it has pulled it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.event import Event
from bot.domain.pattern import Pattern

_PULLED = Pattern(r"in ([0-9.hms]{2,24})(?: \(.{0,60}?including waiting\))?")
_SIZE = Pattern(r"Image size: (\d{1,15}) bytes")
_PART = Pattern(r"(\d{1,6}(?:\.\d{1,9})?)(ms|h|m|s)")  # Go's durations
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


@dataclass(frozen=True, slots=True)
class Pull:
    """seconds: what it took, None while it goes on, or where that is not told. size_bytes: 0 where nobody told."""

    going: bool = False
    seconds: float | None = None
    size_bytes: int = 0


def pull(events: Iterable[Event], image: str) -> Pull:
    """events: about one pod, the newest first."""
    for event in events:
        if f'"{image}"' not in event.message:
            continue
        if event.reason == "Pulling":
            return Pull(going=True)
        if event.reason == "Pulled":
            return Pull(False, _seconds(event.message), _size(event.message))
    return Pull()


def size_elsewhere(events: Iterable[Event], image: str) -> int:
    """By any pod's pull of the same image that is still remembered; 0 where there is none."""
    sizes = (_size(one.message) for one in events if one.reason == "Pulled" and f'"{image}"' in one.message)
    return next((size for size in sizes if size), 0)


def _seconds(message: str) -> float | None:
    found = _PULLED.search(message)
    parts = list(_PART.finditer(found[1])) if found else []
    return sum(float(one[1]) * _UNITS[one[2]] for one in parts) if parts else None


def _size(message: str) -> int:
    found = _SIZE.search(message)
    return int(found[1]) if found else 0
