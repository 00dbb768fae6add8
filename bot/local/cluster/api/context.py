"""What every handler of a request gets: the cluster's parts, who asks, and what about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.local.cluster.api.access import Allow, User
from bot.local.cluster.api.hub import Hub
from bot.local.cluster.api.paths import Target
from bot.local.cluster.api.proxying import Proxy
from bot.local.cluster.api.rbac import Ask, permits
from bot.local.cluster.store import Store

Logs = Callable[[str, str, str, Mapping[str, str]], str]
"""logs(namespace, pod, container, query) -> text; the query holds tailLines, previous, follow, ..."""
Usage = Callable[[str, str, str], Mapping[str, str] | None]
"""usage(plural, namespace, name) -> {"cpu": ..., "memory": ...} of a node or pod; None when nothing is measured."""


@dataclass(frozen=True, slots=True)
class Serving:
    """The parts of one API server."""

    store: Store
    hub: Hub
    tokens: Mapping[str, User] | None = None
    allow: Allow | None = None
    logs: Logs | None = None
    usage: Usage | None = None
    proxy: Proxy | None = None
    version: str = "v1.36.3"
    bookmark_seconds: float = 15.0

    def may(self, user: User, ask: Ask) -> bool:
        """What `allow` says where it was given, else what the stored roles do."""
        if self.allow is not None:
            return self.allow(user, ask.verb, ask.group, ask.resource, ask.namespace)
        return permits(self.store, user, ask)


@dataclass(frozen=True, slots=True)
class Call:
    """One request for a resource."""

    serving: Serving
    request: web.BaseRequest
    user: User
    target: Target

    @property
    def store(self) -> Store:
        """The objects."""
        return self.serving.store

    @property
    def query(self) -> Mapping[str, str]:
        """The query parameters."""
        return self.request.query

    def stored(self) -> dict[str, Any]:
        """Return the object that the request names; ApiError 404."""
        return self.store.get(self.target.resource, self.target.namespace, self.target.name)
