"""What a column of a server-side table is, and the cells that many kinds share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]
Cell = Callable[[Json, datetime], Any]
NONE = "<none>"
UNSET = "<unset>"
UNKNOWN = "<unknown>"


@dataclass(frozen=True, slots=True)
class Column:
    """One column; priority 1 shows with `-o wide` only."""

    name: str
    cell: Cell
    priority: int = 0
    type: str = "string"
    description: str = ""

    def definition(self) -> dict[str, Any]:
        """Return the `TableColumnDefinition`."""
        shape = "name" if self.name == "Name" else ""
        described = self.description or f"{self.name} of the object."
        definition = {"name": self.name, "type": self.type, "format": shape, "description": described}
        return definition | {"priority": self.priority}


def at(obj: Any, *path: str | int, default: Any = None) -> Any:
    """Return what stands at a path, `default` when a part of it is absent or null."""
    for part in path:
        if isinstance(part, int):
            obj = obj[part] if isinstance(obj, list) and len(obj) > part else None
        else:
            obj = obj.get(part) if isinstance(obj, Mapping) else None
    return default if obj is None else obj


def field(*path: str | int, default: Any = "") -> Cell:
    """A cell that shows the value at a path."""
    return lambda obj, now: at(obj, *path, default=default)


def moment(text: Any) -> datetime | None:
    """Read an RFC 3339 time, with or without a fraction; None when it is absent or malformed."""
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return None


def since(text: Any, now: datetime) -> str:
    """Return how long ago a time was, as kubectl prints it."""
    then = moment(text)
    return UNKNOWN if then is None else human_duration(int((now - then).total_seconds()))


def human_duration(seconds: int) -> str:
    """Write a duration with one or two units: `95s`, `3m20s`, `2h5m`, `3d4h`, `40d`.

    Steps as in kubernetes/kubernetes:staging/src/k8s.io/apimachinery/pkg/util/duration/duration.go.
    """
    if seconds < 0:
        return "<invalid>" if seconds < -1 else "0s"
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if days < 730:
        return f"{days}d"
    return _two(days // 365, "y", days % 365, "d") if days < 2920 else f"{days // 365}y"


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


def age(obj: Json, now: datetime) -> str:
    """The time since an object was created."""
    return since(at(obj, "metadata", "creationTimestamp"), now)


def joined(values: Iterable[Any], empty: str = NONE) -> str:
    """Return values with commas, `empty` when there are none."""
    return ",".join(str(value) for value in values) or empty


def pairs(values: Json | None, empty: str = NONE) -> str:
    """Return a map as `a=b,c=d`, sorted."""
    return joined((f"{key}={value}" for key, value in sorted((values or {}).items())), empty)


def containers(spec: Any, key: str) -> str:
    """Return the names or images of a pod template's containers."""
    return joined(container.get(key, "") for container in at(spec, "containers", default=[]))


NAME = Column("Name", field("metadata", "name"), description="Name must be unique within a namespace.")
AGE = Column("Age", age, description="Time since the object was created.")
CREATED_AT = Column("Created At", field("metadata", "creationTimestamp"))
