"""The proxy of the API server: `/api/v1/namespaces/NS/pods/[http:]NAME[:PORT]/proxy/…`, and the same for services."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

_PATH = re.compile(r"/api/v1/namespaces/([^/]+)/(pods|services)/(?:https?:)?([^/:]+)(?::([^/]*))?/proxy(/.*)?")
_VERBS = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True, slots=True)
class Proxied:
    """What a path asks for. `plural`: pods or services. port: a number or a name; empty where none is given."""

    namespace: str
    plural: str
    name: str
    port: str
    path: str


Proxy = Callable[[web.BaseRequest, Proxied], Awaitable[web.StreamResponse]]
"""proxy(request, asked) → what is behind it answers. May raise ApiError."""


def proxied(path: str) -> Proxied | None:
    """None for any other path."""
    found = _PATH.fullmatch(path)
    return Proxied(found[1], found[2], found[3], found[4] or "", found[5] or "/") if found else None


def verb_of(method: str) -> str:
    """As authorization is asked about `pods/proxy`."""
    return _VERBS.get(method, "get")
