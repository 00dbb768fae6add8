"""HTTP/2 frames (RFC 9113) as one unary gRPC call over a fresh connection needs them. Pure: bytes in, bytes out.

Response headers are not read: an answer is there with its message, and a refusal has no message, whatever its status.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM = ACK = 0x1
END_HEADERS, PADDED = 0x4, 0x8
HEAD_BYTES = 9
STREAM = 1
WINDOW_BYTES = 16 * 2**20  # told at once, so that no answer of a kubelet ever waits for more room
_HEADER_TABLE_SIZE, _ENABLE_PUSH, _INITIAL_WINDOW_SIZE = 1, 2, 4
_DEFAULT_WINDOW_BYTES = 65_535


@dataclass(frozen=True, slots=True)
class Frame:
    kind: int
    flags: int
    stream: int
    body: bytes

    @property
    def ends_stream(self) -> bool:
        return self.kind in (DATA, HEADERS) and bool(self.flags & END_STREAM)

    @property
    def data(self) -> bytes:
        """The body of a DATA frame without its padding."""
        if not self.flags & PADDED:
            return self.body
        return self.body[1 : len(self.body) - self.body[0]] if self.body else b""


def frame(kind: int, flags: int, stream: int, body: bytes) -> bytes:
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body


def head(data: bytes) -> tuple[int, int, int, int]:
    """Length, kind, flags, stream of a frame's nine first bytes."""
    kind, flags, stream = struct.unpack(">BBI", data[3:HEAD_BYTES])
    return int.from_bytes(data[:3], "big"), kind, flags, stream & 0x7FFF_FFFF


def opening(path: str, message: bytes) -> bytes:
    """Everything that a client says for one call to that gRPC method."""
    settings = struct.pack(">HIHIHI", _HEADER_TABLE_SIZE, 0, _ENABLE_PUSH, 0, _INITIAL_WINDOW_SIZE, WINDOW_BYTES)
    headers = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "localhost",
        "content-type": "application/grpc",
        "te": "trailers",
    }
    return b"".join(
        (
            PREFACE,
            frame(SETTINGS, 0, 0, settings),
            frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WINDOW_BYTES - _DEFAULT_WINDOW_BYTES)),
            frame(HEADERS, END_HEADERS, STREAM, b"".join(_literals(headers.items()))),
            frame(DATA, END_STREAM, STREAM, struct.pack(">BI", 0, len(message)) + message),
        )
    )


def reply(got: Frame) -> bytes:
    """What the protocol wants as an answer to that frame; empty where it wants none."""
    if got.flags & ACK:
        return b""
    if got.kind == SETTINGS:
        return frame(SETTINGS, ACK, 0, b"")
    return frame(PING, ACK, 0, got.body) if got.kind == PING else b""


def _literals(headers: Iterable[tuple[str, str]]) -> Iterator[bytes]:
    """HPACK (RFC 7541, 6.2.2): literal fields that enter no table, without Huffman's code."""
    for name, value in headers:
        yield b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
