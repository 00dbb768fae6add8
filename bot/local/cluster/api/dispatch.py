"""Which handler answers a request: by kind of resource, subresource and method."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.local.cluster.api import listing, metrics, parameters, podactions, reviews, scale, watching, writing
from bot.local.cluster.api.context import Call
from bot.local.cluster.api.forms import Renderer
from bot.local.cluster.api.media import answer
from bot.local.cluster.store.errors import ApiError, no_such_path

Handler = Callable[[Call], Awaitable[web.StreamResponse]]


async def _get(call: Call) -> web.StreamResponse:
    entry = call.store.entry(call.target.resource, call.target.namespace, call.target.name)
    renderer = Renderer(call)
    return answer(entry.encoded if renderer.as_stored else renderer.one(call.store.state.object_of(entry)))


_ONE: dict[str, Handler] = {
    "GET": _get,
    "HEAD": _get,
    "PUT": writing.replace,
    "PATCH": writing.patch,
    "DELETE": writing.delete,
}
_MANY: dict[str, Handler] = {
    "GET": listing.list_objects,
    "HEAD": listing.list_objects,
    "POST": writing.create,
    "DELETE": writing.delete_collection,
}
_IN_PLACE: dict[str, Handler] = {"GET": _get, "PUT": writing.replace, "PATCH": writing.patch}
_SCALE: dict[str, Handler] = {"GET": scale.scale, "PUT": scale.scale, "PATCH": scale.scale}
_SUBRESOURCES: dict[str, dict[str, Handler]] = {
    "scale": _SCALE,
    "log": {"GET": podactions.log},
    "binding": {"POST": podactions.bind},
    "eviction": {"POST": podactions.evict},
}


def handler_of(call: Call) -> Handler:
    """Return what answers a request; ApiError 404 or 405."""
    method, target = call.request.method, call.target
    if target.resource.verbs == ("create",):
        handlers: dict[str, Handler] = {"POST": reviews.review}
    elif "create" not in target.resource.verbs:
        handlers = {"GET": metrics.metrics}
    elif target.subresource:
        handlers = _SUBRESOURCES.get(target.subresource, _IN_PLACE)
    elif method == "GET" and is_watch(call.request):
        return watching.watch_objects
    else:
        handlers = _ONE if target.name else _MANY
    if method not in handlers:
        if method == "POST" and target.name:
            raise no_such_path()
        message = "the server does not allow this method on the requested resource"
        raise ApiError(405, "MethodNotAllowed", message)
    return handlers[method]


def is_watch(request: web.BaseRequest) -> bool:
    """Whether a GET asks for a watch."""
    return parameters.flag(request.query, "watch")
