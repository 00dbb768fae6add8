"""A tiny Kubernetes client: list, watch, create, patch, delete over HTTP, nothing more.

The simulator plays kubelets, so it must not depend on how the server is built: this is all that it knows of one.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self

import aiohttp
import msgspec

Obj = dict[str, Any]

MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"
NOT_FOUND, CONFLICT, GONE = 404, 409, 410
PAGE = 1000
WATCH_SECONDS = 600


class RequestError(Exception):
    """The API server said no. `code` is the HTTP status, `reason` and the text are those of its Status object."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code, self.reason = code, reason


@dataclass(frozen=True, slots=True)
class Server:
    """Where the API server is and how to be let in."""

    url: str
    token: str = ""
    tls: SSLContext | None = field(default=None, repr=False)


class Client:
    """Use as `async with Client(server) as client`. Paths are as the API has them, from /api or /apis on."""

    def __init__(self, server: Server, *, manager: str = "kubelet", connections: int = 16) -> None:
        self._server, self._manager, self._connections = server, manager, connections
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        headers = {"User-Agent": f"{self._manager}/simulated", "Accept": "application/json"}
        if self._server.token:
            headers["Authorization"] = f"Bearer {self._server.token}"
        connector = aiohttp.TCPConnector(limit=self._connections, ssl=self._server.tls or True)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=WATCH_SECONDS + 60)
        self._session = aiohttp.ClientSession(self._server.url, headers=headers, connector=connector, timeout=timeout)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session:
            await self._session.close()

    async def get(self, path: str) -> Obj:
        return await self._request("GET", path)

    async def list(self, path: str) -> tuple[list[Obj], str]:
        """All objects, page by page, and the version to watch from."""
        found: list[Obj] = []
        query = {"limit": str(PAGE)}
        while True:
            page = await self._request("GET", path, query=query)
            found += page.get("items") or []
            query["continue"] = page["metadata"].get("continue") or ""
            if not query["continue"]:
                return found, page["metadata"]["resourceVersion"]

    async def watch(self, path: str, version: str) -> AsyncIterator[tuple[str, Obj]]:
        """Changes after `version` until the server ends the watch. Raises RequestError 410 if that is too long ago."""
        query = {"watch": "1", "resourceVersion": version, "allowWatchBookmarks": "true"}
        query["timeoutSeconds"] = str(WATCH_SECONDS)
        async with self._open().get(path, params=query) as answer:
            if answer.status != 200:
                raise _refusal(answer.status, await answer.read())
            async for line in _lines(answer.content):
                change = msgspec.json.decode(line)
                if change["type"] == "ERROR":
                    status = change["object"]
                    raise RequestError(status.get("code", 500), status.get("reason", ""), status.get("message", ""))
                yield change["type"], change["object"]

    async def create(self, path: str, obj: Obj) -> Obj:
        return await self._request("POST", path, body=obj, query={"fieldManager": self._manager})

    async def patch(self, path: str, body: Obj, *, how: str = MERGE) -> Obj:
        return await self._request("PATCH", path, body=body, query={"fieldManager": self._manager}, content_type=how)

    async def delete(self, path: str, *, grace_seconds: int | None = None, uid: str = "") -> None:
        """Nothing happens if the object has gone already, or is another one of that name."""
        options: Obj = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        if uid:
            options["preconditions"] = {"uid": uid}
        try:
            await self._request("DELETE", path, body=options)
        except RequestError as error:
            if error.code not in (NOT_FOUND, CONFLICT):
                raise

    async def _request(
        self,
        method: str,
        path: str,
        *,
        body: Obj | None = None,
        query: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Obj:
        data = msgspec.json.encode(body) if body is not None else None
        headers = {"Content-Type": content_type} if data is not None else {}
        async with self._open().request(method, path, params=query, data=data, headers=headers) as answer:
            content = await answer.read()
            if answer.status >= 400:
                raise _refusal(answer.status, content)
            decoded: Obj = msgspec.json.decode(content)
            return decoded

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("use it as: async with Client(...) as client")
        return self._session


async def _lines(stream: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """Whole lines of any length; aiohttp's own reader stops at 64 KiB."""
    rest = b""
    async for chunk in stream.iter_any():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line:
                yield line


def _refusal(code: int, content: bytes) -> RequestError:
    try:
        status = msgspec.json.decode(content)
        return RequestError(code, status.get("reason", ""), status.get("message", ""))
    except (msgspec.DecodeError, AttributeError):
        return RequestError(code, "", content[:200].decode(errors="replace"))
