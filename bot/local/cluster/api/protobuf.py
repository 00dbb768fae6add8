"""The protobuf wire format, as far as two messages need it.

`kubectl auth can-i` and `auth whoami` send their reviews as protobuf and do not fall back to JSON after a 415
(kubernetes/kubernetes#140962), so those are read here. Every other protobuf body is refused.
"""

from __future__ import annotations

from typing import Any

from bot.local.cluster.store.errors import bad_request

MAGIC = b"k8s\x00"
_VARINT, _BYTES = 0, 2
# field numbers of kubernetes/api:authorization/v1/generated.proto
_RESOURCE_ATTRIBUTES = {
    1: "namespace",
    2: "verb",
    3: "group",
    4: "version",
    5: "resource",
    6: "subresource",
    7: "name",
}
_NON_RESOURCE_ATTRIBUTES = {1: "path", 2: "verb"}


def review(path: str, body: bytes) -> dict[str, Any] | None:
    """Read the body of a request that can be read, None for any other; ApiError 400 when it is malformed."""
    if path.endswith("/selfsubjectaccessreviews"):
        return access_review(body)
    return {} if path.endswith("/selfsubjectreviews") else None  # the latter asks nothing


def access_review(body: bytes) -> dict[str, Any]:
    """Read a SelfSubjectAccessReview; ApiError 400 when the bytes are anything else."""
    raw = _message(_fields(body[len(MAGIC) :]), 2)  # runtime.Unknown.raw
    spec = _message(_fields(raw), 2)
    given: dict[str, Any] = {}
    fields = _fields(spec)
    for number, name, names in (
        (1, "resourceAttributes", _RESOURCE_ATTRIBUTES),
        (2, "nonResourceAttributes", _NON_RESOURCE_ATTRIBUTES),
    ):
        if number in fields:
            given[name] = _strings(_message(fields, number), names)
    kind = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    return {**kind, "metadata": {}, "spec": given}


def _strings(message: bytes, names: dict[int, str]) -> dict[str, str]:
    fields = _fields(message)
    read = {name: fields[number] for number, name in names.items() if number in fields}
    try:
        return {name: value.decode() for name, value in read.items() if isinstance(value, bytes) and value}
    except UnicodeDecodeError:
        raise bad_request("a string of the protobuf body is not UTF-8") from None


def _message(fields: dict[int, int | bytes], number: int) -> bytes:
    value = fields.get(number, b"")
    if not isinstance(value, bytes):
        raise bad_request(f"protobuf field {number} is not a message")
    return value


def _fields(message: bytes) -> dict[int, int | bytes]:
    """Return the last value of each field number."""
    found: dict[int, int | bytes] = {}
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        if tag & 7 == _VARINT:
            found[tag >> 3], at = _varint(message, at)
        elif tag & 7 == _BYTES:
            length, at = _varint(message, at)
            if at + length > len(message):
                raise bad_request("the protobuf body is cut short")
            found[tag >> 3], at = message[at : at + length], at + length
        else:
            raise bad_request(f"unexpected protobuf wire type {tag & 7}")
    return found


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if not byte & 128:
            return value, at
    raise bad_request("the protobuf body is cut short")
