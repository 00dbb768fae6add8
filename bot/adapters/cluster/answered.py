"""What an API server answered: read whole, and a refusal taken apart."""

from dataclasses import dataclass

import aiohttp
import msgspec

from bot.adapters.cluster.errors import Cause, RefusedError

REFUSAL_MAX_BYTES = 2**20  # a strict decoding error quotes the whole object
ANSWER_MAX_BYTES = 8 * 2**20  # etcd keeps no object that is larger than 1.5 MiB
_AUDIT_ID = "Audit-Id"  # kubernetes/apiserver:pkg/apis/audit/types.go


@dataclass(frozen=True, slots=True)
class Answered:
    """A 2xx answer. warnings: texts of its `Warning` headers."""

    status: int
    body: bytes
    audit_id: str
    warnings: tuple[str, ...] = ()


class _Cause(msgspec.Struct):
    reason: str | None = ""
    message: str | None = ""
    field: str | None = ""


class _Details(msgspec.Struct, rename="camel"):
    causes: list[_Cause] | None = None
    retry_after_seconds: float | None = None


class _Status(msgspec.Struct):
    """metav1.Status, the body of every refusal."""

    reason: str | None = ""
    message: str | None = ""
    details: _Details | None = None


async def read(answer: aiohttp.ClientResponse) -> Answered | RefusedError:
    """The whole answer. Raises aiohttp's errors where it breaks off."""
    if not 200 <= answer.status < 300:
        return await refusal(answer)
    body = await _up_to(ANSWER_MAX_BYTES + 1, answer.content)
    if len(body) > ANSWER_MAX_BYTES:
        raise aiohttp.ClientPayloadError("the answer is larger than any object")
    warnings = tuple(map(_warning, answer.headers.getall("Warning", [])))
    return Answered(answer.status, body, answer.headers.get(_AUDIT_ID, ""), warnings)


async def refusal(answer: aiohttp.ClientResponse) -> RefusedError:
    """Any other answer."""
    body = await _up_to(REFUSAL_MAX_BYTES, answer.content)
    try:
        status = msgspec.json.decode(body, type=_Status)
    except msgspec.DecodeError:  # a proxy's or load balancer's page
        status = _Status(message=" ".join(body[:200].decode(errors="replace").split()))
    return RefusedError(
        answer.status,
        status.reason or answer.reason or "",
        status.message or "",
        _wait_seconds(answer, status),
        _causes(status),
        answer.headers.get(_AUDIT_ID, ""),
    )


async def _up_to(at_most: int, content: aiohttp.StreamReader) -> bytes:
    """A body comes in pieces, and one read gives what has come so far."""
    body = bytearray()
    while len(body) < at_most and (piece := await content.read(at_most - len(body))):
        body += piece
    return bytes(body)


def _causes(status: _Status) -> tuple[Cause, ...]:
    given = (status.details.causes if status.details else None) or []
    return tuple(Cause(one.reason or "", one.message or "", one.field or "") for one in given)


def _wait_seconds(answer: aiohttp.ClientResponse, status: _Status) -> float | None:
    header = answer.headers.get("Retry-After", "")
    if header.isdigit():
        return float(header)
    return (status.details.retry_after_seconds if status.details else None) or None


def _warning(header: str) -> str:
    """The text of `299 - "text"` (RFC 7234, 5.5)."""
    _, _, rest = header.partition('"')
    text = rest.rpartition('"')[0] or header
    return text.replace('\\"', '"').replace("\\\\", "\\")
