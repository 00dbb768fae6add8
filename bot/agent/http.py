"""The little of HTTP/1.1 (RFC 9112) that an agent needs: short GET requests, one a connection, answered at once.

A web framework would take as much memory as all else in the agent. What is asked is bounded in bytes, time and number,
so that nobody who can reach the port keeps it busy.
"""

import asyncio
import logging
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

log = logging.getLogger("gpubot.agent")
HEAD_BYTES = 8192
CONNECTIONS = 64  # at once
HEAD_SECONDS, ANSWER_SECONDS, CLOSE_SECONDS = 5.0, 15.0, 5.0
_END = b"\r\n\r\n"
# It went away, says nothing, or goes on and on: the connection is closed without a word.
_NOBODY = (OSError, TimeoutError, EOFError, asyncio.LimitOverrunError)


@dataclass(frozen=True, slots=True)
class Asked:
    """`headers` by name as `X-Some-Name`. `certificate`: whether the client has shown one that is signed as wanted."""

    path: str
    headers: Mapping[str, str]
    certificate: bool


@dataclass(frozen=True, slots=True)
class Page:
    """What is answered."""

    body: bytes
    kind: str = "text/plain; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)


class BadRequestError(Exception):
    """The request is none that is answered."""

    def __init__(self, status: HTTPStatus, **headers: str) -> None:
        super().__init__(status.phrase)
        self.page = Page(f"{status.phrase}.\n".encode(), status=status, headers=headers)


class Server:
    """From `start` to `stop`; `answer` may take no time."""

    def __init__(
        self, answer: Callable[[Asked], Page], *, head_seconds: float = HEAD_SECONDS, connections: int = CONNECTIONS
    ) -> None:
        self._answer, self._head_seconds, self._connections = answer, head_seconds, connections
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int, context: ssl.SSLContext | None) -> int:
        """The port that it listens on. Raises OSError."""
        patience = {"ssl_handshake_timeout": HEAD_SECONDS} if context else {}
        self._server = await asyncio.start_server(
            self._connected, host, port, ssl=context, limit=HEAD_BYTES, **patience
        )
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= self._connections:
            writer.close()
            return
        task = asyncio.create_task(self._served(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                page, whole = await self._page(reader, writer)
                writer.write(_as_bytes(page, whole=whole))
                await writer.drain()
        except _NOBODY:
            return
        finally:
            await _closed(writer)

    async def _page(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[Page, bool]:
        """The answer, and whether its body is wanted."""
        try:
            async with asyncio.timeout(self._head_seconds):
                head = await reader.readuntil(_END)
            method, path, headers = parsed(head)
            asked = Asked(path, headers, bool(writer.get_extra_info("peercert")))
            return self._answer(asked), method == "GET"
        except BadRequestError as error:
            return error.page, True
        except Exception as error:
            if isinstance(error, _NOBODY):
                raise
            log.exception("a page failed")
            return BadRequestError(HTTPStatus.INTERNAL_SERVER_ERROR).page, True


async def _closed(writer: asyncio.StreamWriter) -> None:
    """What is left is sent first, as long as somebody takes it."""
    writer.close()
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await writer.wait_closed()
    except (OSError, TimeoutError):
        writer.transport.abort()


def parsed(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Method, path without its query, headers. Raises BadRequestError."""
    first, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    method, _, rest = first.partition(" ")
    path, _, version = rest.partition(" ")
    if version not in ("HTTP/1.1", "HTTP/1.0") or not path.startswith("/"):
        raise BadRequestError(HTTPStatus.BAD_REQUEST)
    if method not in ("GET", "HEAD"):
        raise BadRequestError(HTTPStatus.METHOD_NOT_ALLOWED, Allow="GET, HEAD")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip() or name.title() in headers:
            raise BadRequestError(HTTPStatus.BAD_REQUEST)
        headers[name.title()] = value.strip()
    return method, path.partition("?")[0], headers


def _as_bytes(page: Page, *, whole: bool) -> bytes:
    lines = {
        "Content-Type": page.kind,
        "Content-Length": str(len(page.body)),
        "Connection": "close",
        **page.headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    start = f"HTTP/1.1 {page.status.value} {page.status.phrase}\r\n{head}\r\n"
    return start.encode("latin-1") + (page.body if whole else b"")
