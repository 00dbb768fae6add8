"""The chain that audit rows form: whoever changes one would have to change all that follow it.

    digest of a row = SHA-256 of (digest of the row before it + the row's canonical JSON)

Canonical JSON: keys in order, no blanks, UTF-8; times in UTC. The row's number stands in it, so that rows cannot change
places. The number and digest of the last row are kept apart, so that the end cannot be cut off unseen. A chain that was
computed anew from some row on to its end is consistent: it shows only against a digest that was noted elsewhere.
"""

import hashlib
from collections.abc import Iterable
from datetime import UTC

import msgspec

from bot.domain.audit import AuditEvent, AuditRow, Verified

START = "0" * 64
Raw = tuple[object, object, object]  # number, canonical JSON, digest, the latter two as bytes: all as they were found


class _Body(msgspec.Struct, frozen=True):
    number: int
    event: AuditEvent


def canonical(number: int, event: AuditEvent) -> bytes:
    """What is hashed and kept."""
    there = msgspec.structs.replace(event, at=event.at.astimezone(UTC))
    return msgspec.json.encode(_Body(number, there), order="deterministic")


def digest(before: str, body: bytes) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()


def row_of(number: int, body: bytes, held: str) -> AuditRow:
    """Raises msgspec.DecodeError for what is no row."""
    return AuditRow(number, msgspec.json.decode(body, type=_Body).event, held)


class Verifier:
    """Takes rows in their order, as they were found, until one does not hold."""

    def __init__(self) -> None:
        self.result = Verified(0, START)

    def take(self, rows: Iterable[Raw]) -> bool:
        """Whether all of them hold."""
        for number, body, held in rows:
            reason = self._wrong(number, body, held)
            if reason or not isinstance(held, bytes):
                self.fail(reason or f"row {number} has no digest")
                return False
            self.result = Verified(self.result.rows + 1, held.decode())
        return True

    def end(self, number: object, held: object) -> Verified:
        """The result. number and held: of the last row, as they are kept apart from the rows."""
        rows = self.result.rows
        if self.result.broken is not None:
            return self.result
        if not isinstance(number, int):
            self._broken(max(rows, 1), "it is not kept any more which row is the last")
        elif number != rows:
            self._broken(min(number, rows) + 1, f"the last row is {rows}, and {number} were written")
        elif held != self.result.digest.encode():
            self._broken(rows, f"the digest kept for the last row, {rows}, is not that row's")
        return self.result

    def fail(self, reason: str) -> None:
        """The next row is the one that does not hold."""
        self._broken(self.result.rows + 1, reason)

    def _broken(self, number: int, reason: str) -> None:
        self.result = msgspec.structs.replace(self.result, broken=number, reason=reason)

    def _wrong(self, number: object, body: object, held: object) -> str:
        expected = self.result.rows + 1
        if number != expected:
            return f"row {expected} is missing: the next one is {number!r}"
        if not isinstance(body, bytes):
            return f"row {expected} does not hold bytes"
        if held != digest(self.result.digest, body).encode():
            return f"row {expected} is not what was written, or its digest is not"
        return ""
