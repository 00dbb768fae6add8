"""The audit as JSON lines, for other tools and other disks; such a file can be verified without any database.

    {"digest":"…","row":{"number":1,"event":{…}}}

`row` stands there byte for byte as the digest was taken of it. A row that somebody made unreadable is written as such.
"""

from collections.abc import Iterable, Iterator

import msgspec

from bot.domain.audit import Verified
from bot.domain.chain import Raw, Verifier


class _Line(msgspec.Struct):
    digest: str
    row: msgspec.Raw


class _Numbered(msgspec.Struct):
    number: int


def line_of(row: Raw) -> bytes:
    """With its line feed."""
    number, body, digest = row
    held = digest.decode("ascii", "replace") if isinstance(digest, bytes) else ""
    if isinstance(body, bytes) and _is_json(body):
        return msgspec.json.encode(_Line(held, msgspec.Raw(body))) + b"\n"
    return msgspec.json.encode({"digest": held, "unreadable": repr(body), "number": number}) + b"\n"


def verified(lines: Iterable[bytes]) -> Verified:
    """Of a whole file: what was cut off at its end shows only against a digest that was noted."""
    verifier = Verifier()
    verifier.take(_rows(lines))
    return verifier.result


def _rows(lines: Iterable[bytes]) -> Iterator[Raw]:
    for line in lines:
        try:
            found = msgspec.json.decode(line, type=_Line)
            body = bytes(found.row)
            yield msgspec.json.decode(body, type=_Numbered).number, body, found.digest.encode()
        except (msgspec.DecodeError, UnicodeDecodeError):
            yield None, None, None


def _is_json(body: bytes) -> bool:
    try:
        msgspec.json.decode(body, type=_Numbered)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return b"\n" not in body
