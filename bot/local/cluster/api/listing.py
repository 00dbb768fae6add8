"""Lists: selectors, pages, and the versions that they can be asked at.

Semantics: kubernetes.io/docs/reference/using-api/api-concepts (resource versions, chunks).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec
from aiohttp import web

from bot.local.cluster.api import parameters
from bot.local.cluster.api.context import Call
from bot.local.cluster.api.forms import Renderer
from bot.local.cluster.api.media import JSON_TYPE, answer, encode
from bot.local.cluster.store.errors import ApiError, bad_request, expired
from bot.local.cluster.store.facets import Query
from bot.local.cluster.store.shelf import Entry, Key

Json = dict[str, Any]
_STREAM_ABOVE_BYTES = 8 << 20
_CHUNK_ENTRIES = 100
_TOO_OLD_TOKEN = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results."
)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list, as entries, and the metadata that goes with it."""

    entries: list[Entry]
    metadata: Json


class _Token(msgspec.Struct):
    rv: int
    start: tuple[str, str]


async def list_objects(call: Call) -> web.StreamResponse:
    """Answer a list request."""
    page = page_of(call)
    renderer = Renderer(call)
    if renderer.as_stored:
        return await _send(call, page)
    objects = (call.store.state.object_of(entry) for entry in page.entries)
    return answer(renderer.many(objects, page.metadata))


def page_of(call: Call) -> Page:
    """Gather the page that a request asks for; ApiError 400, 410 or 504."""
    query, store = call.query, call.store
    _check_version(call)
    version, after = store.version, None
    if token := query.get("continue"):
        version, after = _continued(call, token)
    shelf, namespace = store.state.shelf(call.target.resource), call.target.namespace
    selection = parameters.selection(query, call.target.resource)
    limit = parameters.number(query, "limit") or 0
    matching = _matching(shelf.walk(namespace, after), selection)
    entries = list(islice(matching, limit)) if limit > 0 else list(matching)
    metadata: Json = {"resourceVersion": str(version)}
    if limit > 0 and next(matching, None) is not None:
        metadata["continue"] = _token(version, entries[-1].key)
        if selection.everything:
            metadata["remainingItemCount"] = shelf.count(namespace, entries[-1].key)
    return Page(entries, metadata)


def _matching(entries: Iterator[Entry], selection: Query) -> Iterator[Entry]:
    if selection.everything:
        return entries
    return (entry for entry in entries if selection.selects(entry.facets))


def _check_version(call: Call) -> None:
    """Refuse versions that are in the future, and exact ones in the past: only the present is kept."""
    asked, present = parameters.version(call.query), call.store.version
    match = call.query.get("resourceVersionMatch", "")
    if match and "resourceVersion" not in call.query:
        raise bad_request("resourceVersionMatch is forbidden unless resourceVersion is provided")
    if asked is None:
        return
    if asked > present:
        message = f"Timeout: Too large resource version: {asked}, current: {present}"
        causes = [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]
        raise ApiError(504, "Timeout", message, {"causes": causes, "retryAfterSeconds": 1})
    if match == "Exact" and asked != present:
        raise expired(asked, present)


def _token(version: int, key: Key) -> str:
    return base64.urlsafe_b64encode(encode(_Token(version, key))).decode().rstrip("=")


def _continued(call: Call, text: str) -> tuple[int, Key]:
    """Return (version of the first page, last key seen); ApiError 400, or 410 with a token to go on regardless."""
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        token = msgspec.json.decode(raw, type=_Token)
    except (ValueError, msgspec.MsgspecError):
        raise bad_request("continue key is not valid: unable to decode the token") from None
    if token.rv < 0:
        return call.store.version, token.start
    if token.rv < call.store.state.history.floor:
        raise ApiError(410, "Expired", _TOO_OLD_TOKEN, metadata={"continue": _token(-1, token.start)})
    return token.rv, token.start


async def _send(call: Call, page: Page) -> web.StreamResponse:
    resource = call.target.resource
    kind = {"kind": f"{resource.kind}List", "apiVersion": resource.api_version, "metadata": page.metadata}
    opening = encode(kind)[:-1] + b',"items":['
    if sum(len(entry.encoded) for entry in page.entries) < _STREAM_ABOVE_BYTES:
        return answer(b"".join((opening, b",".join(entry.encoded for entry in page.entries), b"]}")))
    response = web.StreamResponse(headers={"Content-Type": JSON_TYPE})
    await response.prepare(call.request)
    await response.write(opening)
    for start in range(0, len(page.entries), _CHUNK_ENTRIES):
        chunk = b",".join(entry.encoded for entry in page.entries[start : start + _CHUNK_ENTRIES])
        await response.write(b"," + chunk if start else chunk)
    await response.write(b"]}")
    await response.write_eof()
    return response
