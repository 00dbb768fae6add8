"""Protobuf's wire format, as far as reading needs it (protobuf.dev/programming-guides/encoding): fields by number.

Unknown fields are passed over, so a newer kubelet is read like an older one.
"""

from collections.abc import Iterator

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """These bytes are no message."""


def fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each length-delimited field (texts and messages), in order. Raises WireError."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        kind = key & 7
        if kind == VARINT:
            _, place = _varint(data, place)
        elif kind in (FIXED64, FIXED32):
            place += 8 if kind == FIXED64 else 4
        elif kind == LENGTH:
            length, place = _varint(data, place)
            if place + length > len(data):
                raise WireError("a field is longer than its message")
            yield key >> 3, data[place : place + length]
            place += length
        else:
            raise WireError(f"wire type {kind} is not in use")
    if place > len(data):
        raise WireError("a field is longer than its message")


def text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(data) and shift < 70:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
    raise WireError("a number does not end")
