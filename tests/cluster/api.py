"""A bare asyncio client of the API server: raw HTTP and plain dicts, so that a test sees what the server said."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import aiohttp

CONCURRENCY = 64
"""Writes at once; more do not make the server faster on two cores."""

LINE_BYTES = 4 * 1024 * 1024
"""The longest watch event that is read."""

Object = dict[str, Any]


class ApiError(Exception):
    """The server refused: HTTP `status`, and its Status object's message."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status = status


class Api:
    """`async with Api(server, token) as api`. Certificates are not looked at: the server is our own child."""

    def __init__(self, server: str, token: str) -> None:
        self._server = server
        self._headers = {"Authorization": f"Bearer {token}"}

    async def __aenter__(self) -> Api:
        connector = aiohttp.TCPConnector(limit=0, ssl=False)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10)
        self._session = aiohttp.ClientSession(
            self._server, connector=connector, headers=self._headers, timeout=timeout, read_bufsize=LINE_BYTES
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def request(self, method: str, path: str, body: Object | None = None, **query: str) -> Object:
        """The decoded answer. Raises ApiError. PATCH is a merge patch."""
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        data = None if body is None else json.dumps(body)
        async with self._session.request(
            method, path, data=data, params=query, headers={"Content-Type": kind}
        ) as answer:
            text = await answer.text()
            if answer.status >= 400:
                raise ApiError(answer.status, text)
            return dict(json.loads(text))

    async def create_all(self, path: str, bodies: Iterable[Object]) -> None:
        """POST all bodies, CONCURRENCY at a time. Raises the first ApiError in an ExceptionGroup."""
        rest = iter(bodies)

        async def worker() -> None:
            for body in rest:
                await self.request("POST", path, body)

        async with asyncio.TaskGroup() as group:
            for _ in range(CONCURRENCY):
                group.create_task(worker())

    async def watch(self, path: str, **query: str) -> AsyncIterator[Object]:
        """Events as `{type, object}` until the server ends the stream; an error is an event of type ERROR."""
        async with self._session.get(path, params={"watch": "1", **query}) as answer:
            if answer.status >= 400:
                raise ApiError(answer.status, await answer.text())
            async for line in answer.content:
                yield dict(json.loads(line))

    async def until(
        self, path: str, ready: Callable[[dict[str, Object]], bool], *, timeout_seconds: float = 30
    ) -> dict[str, Object]:
        """The objects under `path` by name, as soon as `ready` of them all; follows them by list and watch.

        Raises TimeoutError.
        """
        async with asyncio.timeout(timeout_seconds):
            listed = await self.request("GET", path)
            seen: dict[str, Object] = {item["metadata"]["name"]: item for item in listed["items"]}
            version = listed["metadata"]["resourceVersion"]
            if ready(seen):
                return seen
            async for event in self.watch(path, resourceVersion=version):
                item = event["object"]
                if event["type"] == "ERROR":
                    raise ApiError(item["code"], item["message"])
                if event["type"] == "DELETED":
                    seen.pop(item["metadata"]["name"], None)
                else:
                    seen[item["metadata"]["name"]] = item
                if ready(seen):
                    return seen
        raise ApiError(0, "the watch ended early")
