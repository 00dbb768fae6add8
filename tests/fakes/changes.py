"""A ChangeStore without a database (tests/adapters/store/test_change_contract.py holds it to the real one)."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from bot.adapters.store import change_moves, freezes
from bot.adapters.store.audit_memory import AuditMemory
from bot.changes.machine import OPEN
from bot.domain.audit import AuditEvent, AuditRow, Verified
from bot.domain.chain import START, Verifier, canonical, digest, row_of
from bot.domain.change import Change, ChangeState, Plan
from bot.domain.errors import NotFoundError
from bot.domain.freeze import Freeze
from bot.domain.person import Asker
from bot.domain.posting import Post
from bot.ports import Telling


class MemoryChanges:
    """`posts` are those that were recorded; `rows` the audit."""

    def __init__(self) -> None:
        self.changes: dict[int, Change] = {}
        self.posts: list[Post] = []
        self.rows: list[AuditRow] = []
        self.memory = AuditMemory()
        self._bodies: list[bytes] = []
        self._nonces: dict[str, int] = {}
        self._freezes: list[Freeze] = []

    async def refresh(self) -> None:
        self.memory.refresh(self.rows, self._freezes)

    async def propose(
        self,
        plan: Plan,
        asker: Asker,
        needed: int,
        expires_at: datetime,
        cluster: str,
        now: datetime,
        *,
        message: str = "",
        posts: Telling | None = None,
    ) -> Change:
        number = len(self.changes) + 1
        change = change_moves.proposed(number, self._nonce(), plan, asker, needed, expires_at, cluster, now)
        return self._keep(change, change_moves.proposal_event(change, now, message), posts)

    async def by_nonce(self, nonce: str) -> Change | None:
        return next((one for one in self.changes.values() if nonce and one.nonce == nonce), None)

    async def spent(self, nonce: str) -> Change | None:
        return self.changes.get(self._nonces.get(nonce, 0))

    async def get(self, number: int) -> Change | None:
        return self.changes.get(number)

    async def move(
        self,
        number: int,
        expected: ChangeState,
        to: ChangeState,
        *,
        now: datetime,
        actor: str,
        told: str = "",
        nonce: str = "",
        workspace: str = "",
        message: str = "",
        posts: Telling | None = None,
        **fields: Any,
    ) -> Change:
        before = self._known(number)
        after = change_moves.moved(before, expected, to, nonce, self._nonce(), told, fields)
        return self._keep(after, change_moves.move_event(before, after, now, actor, workspace, message), posts)

    async def step_done(self, number: int, index: int, audit_id: str, now: datetime) -> Change:
        before = self._known(number)
        after = change_moves.stepped(before, index, audit_id)
        return before if after is None else self._keep(after, change_moves.step_event(after, index, audit_id, now))

    async def recent(self, cluster: str, since: datetime) -> tuple[Change, ...]:
        """As a database does, it lets others go on before its answer is used."""
        found = tuple(
            one
            for one in self.changes.values()
            if one.cluster == cluster and max(one.requested_at, one.applied_at or one.requested_at) >= since
        )
        await asyncio.sleep(0)
        return found

    async def open_changes(self) -> tuple[Change, ...]:
        return tuple(
            one
            for one in self.changes.values()
            if one.state in OPEN or (one.state is ChangeState.APPLIED and one.undo_at is not None)
        )

    async def audit(self, event: AuditEvent) -> None:
        self._add(event)

    async def audit_rows(self, *, last: int | None = None) -> tuple[AuditRow, ...]:
        return tuple(self.rows if last is None else self.rows[max(0, len(self.rows) - last) :])

    async def verify(self) -> Verified:
        verifier = Verifier()
        verifier.take(
            (row.number, body, row.digest.encode()) for row, body in zip(self.rows, self._bodies, strict=True)
        )
        return verifier.end(len(self.rows), self.rows[-1].digest.encode() if self.rows else START.encode())

    async def freeze(self, cluster: str, until: datetime, because: str, asker: Asker, now: datetime) -> Freeze:
        number = len(self._freezes) + 1
        made = Freeze(number=number, cluster=cluster, by=asker.id, because=because, since=now, until=until)
        self._freezes.append(made)
        self._add(freezes.began(made, asker, now))
        self.memory.froze(made)
        return made

    async def thaw(self, cluster: str, asker: Asker, now: datetime) -> tuple[Freeze, ...]:
        ended = [msgspec.structs.replace(one, ended_at=now) for one in self._freezes if one.holds(cluster, now)]
        for one in ended:
            self._freezes[one.number - 1] = one
            self._add(freezes.over(one, asker, now))
        self.memory.froze(*ended)
        return tuple(ended)

    async def freezes(self, now: datetime, cluster: str = "") -> tuple[Freeze, ...]:
        return tuple(one for one in self._freezes if one.holds(cluster or one.cluster, now))

    def _known(self, number: int) -> Change:
        if number not in self.changes:
            raise NotFoundError(f"There is no change {number}.")
        return self.changes[number]

    def _nonce(self) -> str:
        return f"nonce-{len(self.rows) + 1}"

    def _keep(self, change: Change, event: AuditEvent, posts: Telling | None = None) -> Change:
        told: Sequence[Post] = posts(change) if posts else ()
        self.changes[change.number] = change
        if change.nonce:
            self._nonces[change.nonce] = change.number
        self._add(event)
        self.posts.extend(told)
        return change

    def _add(self, event: AuditEvent) -> None:
        number, body = len(self.rows) + 1, canonical(len(self.rows) + 1, event)
        held = digest(self.rows[-1].digest if self.rows else START, body)
        self.rows.append(row_of(number, body, held))
        self._bodies.append(body)
        self.memory.add(self.rows[-1:])
