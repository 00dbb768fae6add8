"""A request that has a body: everything of it but who asks."""

from dataclasses import dataclass, field, replace
from urllib.parse import quote

import msgspec

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"  # JSON is YAML too


@dataclass(frozen=True, slots=True)
class Outgoing:
    """path: quoted. headers: beyond those that every request has; a name may come more than once."""

    method: str
    path: str
    body: object
    params: dict[str, str] = field(default_factory=dict)
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def encoded(self) -> bytes:
        return msgspec.json.encode(self.body)

    def under(self, headers: tuple[tuple[str, str], ...]) -> "Outgoing":
        """The same with more headers."""
        return replace(self, headers=(*self.headers, *headers))


def path_of(api_version: str, resource: str, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """Where the API has it. Raises ValueError for what can be no part of a path: `..` must not lead elsewhere."""
    group = ("apis", *api_version.split("/")) if "/" in api_version else ("api", api_version)
    place = ("namespaces", namespace) if namespace else ()
    rest = tuple(part for part in (name, subresource) if part)
    return "".join("/" + _segment(part) for part in (*group, *place, resource, *rest))


def _segment(part: str) -> str:
    """Names of objects hold neither slashes nor per cents (kubernetes/apimachinery:pkg/api/validation/path/name.go)."""
    if part in ("", ".", "..") or "/" in part or "%" in part or not part.isprintable() or len(part) > 253:
        raise ValueError(f"{part[:60]!r} can be no part of a path")
    return quote(part, safe=":")
