"""Acting in somebody else's name: the `Impersonate-*` headers, for callers who may.

Source: kubernetes/apiserver:pkg/endpoints/filters/impersonation/.
"""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from bot.local.cluster.api.access import User
from bot.local.cluster.api.rbac import Ask
from bot.local.cluster.store.errors import ApiError

May = Callable[[User, Ask], bool]


def acting_as(caller: User, request: web.BaseRequest, may: May) -> User:
    """Return whom the request is to be judged as; ApiError 400 or 403."""
    headers = request.headers
    name, groups = headers.get("Impersonate-User", ""), headers.getall("Impersonate-Group", [])
    if not name:
        if groups:
            raise ApiError(400, "BadRequest", "requested [Impersonate-Group] without impersonating a user")
        return caller
    for resource, wanted in (("users", name), *(("groups", group) for group in groups)):
        if not may(caller, Ask("impersonate", "", resource, name=wanted)):
            message = (
                f'{resource} "{wanted}" is forbidden: User "{caller.name}" cannot impersonate resource "{resource}" '
                'in API group "" at the cluster scope'
            )
            raise ApiError(403, "Forbidden", message, {"name": wanted, "kind": resource})
    return User(name, tuple(groups))
