"""Watches: what happened since a version, then what happens, until the time is over.

Semantics: kubernetes.io/docs/reference/using-api/api-concepts (watches, bookmarks, streaming lists) and
kubernetes/kubernetes:staging/src/k8s.io/apiserver/pkg/storage/cacher.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from aiohttp import web

from bot.local.cluster.api import parameters
from bot.local.cluster.api.context import Call
from bot.local.cluster.api.forms import Renderer
from bot.local.cluster.api.hub import Watch
from bot.local.cluster.api.media import JSON_TYPE, encode
from bot.local.cluster.store import Change
from bot.local.cluster.store.errors import ApiError, bad_request
from bot.local.cluster.store.facets import facets, head
from bot.local.cluster.store.history import Past
from bot.local.cluster.store.shelf import Entry

Json = dict[str, Any]
_INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}
_LONGEST_SECONDS = 1800
_CHUNK_LINES = 500


class Lines:
    """Writes changes as lines of a watch: in the client's form, and only those that it selects."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._resource = call.target.resource
        self._selection = parameters.selection(call.query, self._resource)
        self._renderer = Renderer(call)

    def added(self, entry: Entry) -> bytes:
        """Return the line of an object that is there already, b"" when it is not selected."""
        if not self._selection.selects(entry.facets) or not self._is_named(entry.key):
            return b""
        return self._line("ADDED", entry.encoded)

    def change(self, change: Change) -> bytes:
        """Return the line of a change, b"" when it does not concern this watch."""
        if self._selection.everything:
            return self._line(change.type, change.encoded, change.new)
        before = change.old is not None and self._selection.selects(facets(self._resource, change.old))
        after = change.type != "DELETED" and self._selection.selects(facets(self._resource, change.new))
        return self._transition(before, after, change.encoded, change.new)

    def past(self, past: Past) -> bytes:
        """As `change`, of a change that is history."""
        if not self._is_named(past.key):
            return b""
        if self._selection.everything:
            return self._line(past.type, past.encoded)
        before = past.old_encoded is not None and self._selects(past.old_encoded)
        after = past.type != "DELETED" and self._selects(past.encoded)
        return self._transition(before, after, past.encoded)

    def bookmark(self, version: int, *, initial_events_end: bool = False) -> bytes:
        """Return a line that says only how far the watch has come."""
        metadata: Json = {"resourceVersion": str(version), "creationTimestamp": None}
        metadata |= {"annotations": _INITIAL_EVENTS_END} if initial_events_end else {}
        body: Json = {"kind": self._resource.kind, "apiVersion": self._resource.api_version, "metadata": metadata}
        if self._renderer.form.shape == "Table":
            rows = [{"cells": [], "object": body}]
            body = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "rows": rows}
        return b'{"type":"BOOKMARK","object":' + encode(body) + b"}\n"

    def _selects(self, encoded: bytes) -> bool:
        return self._selection.selects(facets(self._resource, head(self._resource, encoded)))

    def _is_named(self, key: tuple[str, str]) -> bool:
        namespace, name = self._call.target.namespace, self._call.target.name
        return namespace in ("", key[0]) and name in ("", key[1])

    def _transition(self, before: bool, after: bool, encoded: bytes, obj: Json | None = None) -> bytes:
        """An object that enters a selection is ADDED to it, one that leaves is DELETED from it."""
        if after:
            return self._line("MODIFIED" if before else "ADDED", encoded, obj)
        return self._line("DELETED", encoded, obj) if before else b""

    def _line(self, kind: str, encoded: bytes, obj: Json | None = None) -> bytes:
        if not self._renderer.as_stored:
            encoded = self._renderer.event_object(msgspec.json.decode(encoded) if obj is None else obj)
        return b'{"type":"' + kind.encode() + b'","object":' + encoded + b"}\n"


async def watch_objects(call: Call) -> web.StreamResponse:
    """Answer a watch request, until its time is over, the client goes or the watch is dropped."""
    target, hub = call.target, call.serving.hub
    start = _start(call)
    lines = Lines(call)
    watch = hub.open(target.resource, target.namespace, target.name)
    response = web.StreamResponse(headers={"Content-Type": JSON_TYPE})
    try:
        try:
            opening = start(call, lines)
        except ApiError as error:
            await _refuse(call, response, error)
            return response
        await response.prepare(call.request)
        await _write(response, opening)
        await _follow(call, lines, watch, response)
    except ConnectionError:
        return response  # the client went away: the ordinary end of a watch
    finally:
        hub.end(target.resource, watch)
    return response


def _start(call: Call) -> Callable[[Call, Lines], Iterable[bytes]]:
    """Return what the watch begins with: present objects, or the changes since a version; ApiError 400."""
    query = call.query
    initial = query.get("sendInitialEvents", "")
    if initial and query.get("resourceVersionMatch") != "NotOlderThan":
        raise bad_request("resourceVersionMatch: sendInitialEvents requires resourceVersionMatch NotOlderThan")
    if parameters.flag(query, "sendInitialEvents"):
        return _present_then_bookmark
    if parameters.version(query) is None:
        return _nothing if initial else _present
    return _since


def _nothing(call: Call, lines: Lines) -> Iterable[bytes]:
    return ()


def _present(call: Call, lines: Lines) -> Iterator[bytes]:
    # the entries are gathered now: the store may change while they are being sent
    entries = list(call.store.state.shelf(call.target.resource).walk(call.target.namespace))
    return (lines.added(entry) for entry in entries)


def _present_then_bookmark(call: Call, lines: Lines) -> Iterator[bytes]:
    version, present = call.store.version, _present(call, lines)

    def both() -> Iterator[bytes]:
        yield from present
        yield lines.bookmark(version, initial_events_end=True)

    return both()


def _since(call: Call, lines: Lines) -> list[bytes]:
    version = parameters.version(call.query) or 0
    return [lines.past(past) for past in call.store.state.history.since(version, call.target.resource)]


async def _refuse(call: Call, response: web.StreamResponse, error: ApiError) -> None:
    """Say in an event, under 200, that the watch cannot start, as the API server's watch cache does."""
    await response.prepare(call.request)
    await response.write(b'{"type":"ERROR","object":' + encode(error.status_body()) + b"}\n")


async def _write(response: web.StreamResponse, lines: Iterable[bytes]) -> None:
    chunk: list[bytes] = []
    for line in lines:
        if line:
            chunk.append(line)
        if len(chunk) >= _CHUNK_LINES:
            await response.write(b"".join(chunk))
            chunk.clear()
    if chunk:
        await response.write(b"".join(chunk))


async def _follow(call: Call, lines: Lines, watch: Watch, response: web.StreamResponse) -> None:
    seconds = parameters.number(call.query, "timeoutSeconds") or _LONGEST_SECONDS
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    bookmarks = parameters.flag(call.query, "allowWatchBookmarks")
    while not watch.closed and (left := end - clock()) > 0:
        woken = await watch.wait(min(left, call.serving.bookmark_seconds))
        version = call.store.version
        await _write(response, [lines.change(change) for change in watch.take()])
        if not woken and bookmarks:
            await response.write(lines.bookmark(version))
