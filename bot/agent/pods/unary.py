"""One unary gRPC call over a unix socket. A connection for each: ten seconds lie between, and the kubelet restarts."""

import asyncio
import struct

from bot.agent.pods import http2

ANSWER_MAX_BYTES = http2.WINDOW_BYTES
PREFIX_BYTES = 5


class CallError(Exception):
    """There is no answer; the text says why."""


async def call(socket: str, method: str, message: bytes = b"", *, timeout_seconds: float) -> bytes:
    """The answer's message. Raises CallError."""
    try:
        async with asyncio.timeout(timeout_seconds):
            reader, writer = await asyncio.open_unix_connection(socket)
            try:
                writer.write(http2.opening(method, message))
                return _message(await _body(reader, writer))
            finally:
                writer.close()
    except TimeoutError:
        raise CallError(f"no answer within {timeout_seconds:g} s") from None
    except asyncio.IncompleteReadError:
        raise CallError("the connection ended before the answer did") from None
    except OSError as error:
        raise CallError((error.strerror or str(error)).lower()) from None


async def _body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """All DATA of our stream."""
    body = b""
    while True:
        got = await _frame(reader)
        if answer := http2.reply(got):
            writer.write(answer)
        if got.kind == http2.GOAWAY or (got.kind == http2.RST_STREAM and got.stream == http2.STREAM):
            raise CallError("the call was refused")
        if got.kind == http2.DATA and got.stream == http2.STREAM:
            body += got.data
        if len(body) > ANSWER_MAX_BYTES:
            raise CallError(f"the answer is longer than {ANSWER_MAX_BYTES >> 20} MiB")
        if got.stream == http2.STREAM and got.ends_stream:
            return body


async def _frame(reader: asyncio.StreamReader) -> http2.Frame:
    length, kind, flags, stream = http2.head(await reader.readexactly(http2.HEAD_BYTES))
    return http2.Frame(kind, flags, stream, await reader.readexactly(length))


def _message(body: bytes) -> bytes:
    """A message after its prefix: a byte for compression, four for the length."""
    if len(body) < PREFIX_BYTES:
        raise CallError("the call was refused")
    compressed, length = struct.unpack(">BI", body[:PREFIX_BYTES])
    if compressed or length != len(body) - PREFIX_BYTES:
        raise CallError("the answer is not one plain message")
    return body[PREFIX_BYTES:]
