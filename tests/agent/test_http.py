"""What the agent's port answers, to whatever is sent: short GET requests only, bounded in bytes, time and number."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus

import pytest

from bot.agent.http import HEAD_BYTES, Asked, Page, Server


def echo(asked: Asked) -> Page:
    if asked.path == "/breaks":
        raise ValueError("a bug")
    told = " ".join((asked.path, *(f"{name}={value}" for name, value in asked.headers.items())))
    return Page(told.encode(), status=HTTPStatus.OK)


@asynccontextmanager
async def serving(answer: Callable[[Asked], Page] = echo, **limits: float) -> AsyncIterator[int]:
    server = Server(answer, **limits)  # type: ignore[arg-type]
    port = await server.start("127.0.0.1", 0, None)
    try:
        yield port
    finally:
        await server.stop()


async def said(port: int, request: bytes) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        return (await asyncio.wait_for(reader.read(), 10)).decode()
    except ConnectionResetError:  # closed before all was read
        return ""
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("request_", "status", "body"),
    [
        pytest.param(b"GET /a?b=c HTTP/1.1\r\nhost: x\r\n\r\n", "200 OK", "/a Host=x", id="a page, without its query"),
        pytest.param(
            b"GET /a HTTP/1.0\r\nx-gpubot-token:  t \r\n\r\n", "200 OK", "/a X-Gpubot-Token=t", id="an older client"
        ),
        pytest.param(b"HEAD /a HTTP/1.1\r\n\r\n", "200 OK", "", id="only its head"),
        pytest.param(
            b"POST /a HTTP/1.1\r\n\r\n", "405 Method Not Allowed", "Method Not Allowed.\n", id="another method"
        ),
        pytest.param(b"GET /a\r\n\r\n", "400 Bad Request", "Bad Request.\n", id="no version"),
        pytest.param(b"GET a HTTP/1.1\r\n\r\n", "400 Bad Request", "Bad Request.\n", id="no path"),
        pytest.param(b"GET http://x/a HTTP/1.1\r\n\r\n", "400 Bad Request", "Bad Request.\n", id="a proxy's request"),
        pytest.param(b"GET / HTTP/1.1\r\na b\r\n\r\n", "400 Bad Request", "Bad Request.\n", id="no header"),
        pytest.param(b"GET / HTTP/1.1\r\na : b\r\n\r\n", "400 Bad Request", "Bad Request.\n", id="a blank in a name"),
        pytest.param(b"GET / HTTP/1.1\r\na: b\r\nA: c\r\n\r\n", "400 Bad Request", "Bad Request.\n", id="a name twice"),
        pytest.param(b"\xff\xfe\r\n\r\n", "400 Bad Request", "Bad Request.\n", id="rubbish"),
        pytest.param(
            b"GET /breaks HTTP/1.1\r\n\r\n", "500 Internal Server Error", "Internal Server Error.\n", id="a bug"
        ),
    ],
)
async def test_a_request_and_its_answer(request_: bytes, status: str, body: str) -> None:
    async with serving() as port:
        head, _, told = (await said(port, request_)).partition("\r\n\r\n")
        assert head.splitlines()[0] == f"HTTP/1.1 {status}"
        assert told == body
        assert "Connection: close" in head


async def test_what_may_be_asked_instead_is_named() -> None:
    async with serving() as port:
        assert "Allow: GET, HEAD" in await said(port, b"PUT / HTTP/1.1\r\n\r\n")


async def test_who_says_too_much_is_not_answered() -> None:
    async with serving() as port:
        assert await said(port, b"GET / HTTP/1.1\r\na: " + b"b" * 10 * HEAD_BYTES + b"\r\n\r\n") == ""
        assert "200 OK" in await said(port, b"GET / HTTP/1.1\r\n\r\n")


async def test_who_says_nothing_is_not_waited_for() -> None:
    async with serving(head_seconds=0.05) as port:
        assert await said(port, b"GET /slow") == ""
        assert "200 OK" in await said(port, b"GET / HTTP/1.1\r\n\r\n")


async def test_more_connections_than_there_may_be_are_turned_away_and_others_are_answered_later() -> None:
    async with serving(connections=1) as port:
        _, holding = await asyncio.open_connection("127.0.0.1", port)
        holding.write(b"GET /")
        await holding.drain()
        while await said(port, b"GET / HTTP/1.1\r\n\r\n"):
            continue  # the first has not been taken yet
        holding.close()
        while "200 OK" not in await said(port, b"GET / HTTP/1.1\r\n\r\n"):
            continue


async def test_it_ends_while_somebody_is_still_connected() -> None:
    async with serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()


async def test_a_large_page_comes_whole() -> None:
    async with serving(lambda _: Page(b"x" * 3_000_000)) as port:
        assert (await said(port, b"GET / HTTP/1.1\r\n\r\n")).endswith("x" * 1000)
