"""The paths of the Kubernetes API: which object, list or subresource a request is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.local.cluster.store import Resource
from bot.local.cluster.store.errors import no_such_path

_NAMESPACE_SUBRESOURCES = ("status", "finalize")


@dataclass(frozen=True, slots=True)
class Target:
    """What a path names; `name` is "" for a list, `namespace` "" for all of them."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def qualified_resource(self) -> str:
        """As authorization rules name it: `pods`, `pods/log`."""
        return f"{self.resource.plural}/{self.subresource}" if self.subresource else self.resource.plural


def target_of(path: str, resources: Mapping[tuple[str, str], Resource]) -> Target | None:
    """Return what a path is about; None when it is discovery or another non-resource path, ApiError 404 when nothing.

    Shapes: /api/v1/... and /apis/GROUP/VERSION/..., then [namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]].
    """
    parts = [part for part in path.split("/") if part]
    if parts[:1] == ["api"] and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[:1] == ["apis"] and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and not (len(rest) == 3 and rest[2] in _NAMESPACE_SUBRESOURCES):
        namespace, rest = rest[1], rest[2:]
    resource = resources.get((group, rest[0]))
    if resource is None or resource.version != version or len(rest) > 3:
        raise no_such_path()
    target = Target(resource, namespace, *rest[1:])
    if (namespace and not resource.namespaced) or not _served(target):
        raise no_such_path()
    return target


def _served(target: Target) -> bool:
    if target.subresource and target.subresource not in target.resource.subresources:
        return False
    return not (target.resource.namespaced and target.name and not target.namespace)


def verb_of(method: str, target: Target, watching: bool) -> str:
    """Return the API verb that authorization is asked about; "" for a method that the API does not have."""
    if method in ("GET", "HEAD"):
        if watching:
            return "watch"
        return "get" if target.name else "list"
    if method == "DELETE":
        return "delete" if target.name else "deletecollection"
    return {"POST": "create", "PUT": "update", "PATCH": "patch"}.get(method, "")
