"""The audit: whatever is changed in any row, `verify` names that row; and nothing is lost when it is opened again."""

import asyncio
import random
import string
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.dialects import postgresql

from bot.adapters.store import Store, StoreUnavailableError
from bot.adapters.store.changes import Changes
from bot.adapters.store.engine import engine_for, parsed
from bot.domain.audit import AuditEvent, Happened, Verified
from bot.domain.change import Change, ChangeState
from bot.domain.errors import ConflictError
from tests.access.building import BEN, NOW, a_person, a_plan, a_yes, minutes
from tests.adapters.store import sql
from tests.adapters.store.conftest import Opener

FLIPS_PER_VALUE = 6


@pytest.fixture
async def changes(opened: Opener) -> Changes:
    """With a change that was asked for, approved, and refused to somebody."""
    kept = Changes(await opened())
    change = await kept.propose(a_plan(), a_person(), 1, minutes(30), "prod", NOW)
    await kept.move(
        1, change.state, ChangeState.APPROVED, now=minutes(1), actor=BEN, nonce=change.nonce, approvals=(a_yes(),)
    )
    await kept.audit(AuditEvent(what=Happened.CLICK_STALE, at=minutes(2), person=BEN, change=1, says="zu spät"))
    await kept.freeze("prod", minutes(60), "the launch", a_person("U0DORA"), minutes(3))
    return kept


async def test_an_audit_that_nobody_touched_holds(changes: Changes) -> None:
    rows = await changes.audit_rows()
    assert await changes.verify() == Verified(4, rows[-1].digest)


async def test_an_empty_audit_holds(opened: Opener) -> None:
    assert await Changes(await opened()).verify() == Verified(0, "0" * 64)


async def test_flip_any_bit_of_any_row_and_the_row_is_named(changes: Changes, file: Path) -> None:
    chosen = random.Random(7)  # which bits are flipped, the same each time
    for number, body, held in sql.run(file, "SELECT number, body, digest FROM audit"):
        for column, value in (("body", body), ("digest", held)):
            places = {0, len(value) - 1, *chosen.sample(range(len(value)), FLIPS_PER_VALUE)}
            for place in sorted(places):
                flipped = bytearray(value)
                flipped[place] ^= 1 << chosen.randrange(8)
                _set(file, column, number, bytes(flipped))
                assert (await changes.verify()).broken == number, (column, number, place)
                assert len(await changes.audit_rows()) == 4, "it can still be shown"
            _set(file, column, number, value)
    assert (await changes.verify()).broken is None


@pytest.mark.parametrize(
    ("statement", "broken", "reason"),
    [
        pytest.param("DELETE FROM audit WHERE number = 1", 1, "row 1 is missing", id="the first row is gone"),
        pytest.param("DELETE FROM audit WHERE number = 3", 3, "row 3 is missing", id="a row in the middle is gone"),
        pytest.param("DELETE FROM audit WHERE number = 4", 4, "the last row is 3, and 4 were", id="the last is gone"),
        pytest.param("DELETE FROM audit", 1, "the last row is 0, and 4 were", id="all of them are gone"),
        pytest.param("UPDATE audit SET number = 9 WHERE number = 2", 2, "row 2 is missing", id="a number is changed"),
        pytest.param("UPDATE audit SET number = -1 WHERE number = 1", 1, "row 1 is missing", id="a negative number"),
        pytest.param(
            "UPDATE audit SET body = (SELECT body FROM audit WHERE number = 3) WHERE number = 2", 2,
            "not what was written", id="a row is overwritten with another",
        ),
        pytest.param("UPDATE audit SET body = 'text' WHERE number = 2", 2, "does not hold bytes", id="text, no bytes"),
        pytest.param("UPDATE audit SET digest = 7 WHERE number = 2", 2, "not what was written", id="a digest is a number"),
        pytest.param("INSERT INTO audit VALUES (5, x'00', x'00')", 5, "not what was written", id="a row was put in"),
        pytest.param("UPDATE audit_end SET number = 3", 4, "the last row is 4, and 3 were", id="the end says fewer"),
        pytest.param("UPDATE audit_end SET digest = x'00'", 4, "the digest kept for the last row", id="the end is other"),
        pytest.param("DELETE FROM audit_end", 4, "which row is the last", id="the end is gone"),
    ],
)  # fmt: skip
async def test_what_was_done_to_the_table_is_found(
    changes: Changes, file: Path, statement: str, broken: int, reason: str
) -> None:
    sql.run(file, statement)
    found = await changes.verify()
    assert found.broken == broken
    assert reason in found.reason


async def test_rows_computed_anew_show_against_a_digest_that_was_noted(changes: Changes, file: Path) -> None:
    noted = (await changes.verify()).digest
    sql.run(file, "DELETE FROM audit", f"UPDATE audit_end SET number = 0, digest = x'{b'0'.hex() * 64}'")
    for _ in range(4):
        await changes.audit(AuditEvent(what=Happened.MOVED, at=NOW, says="it was never so"))
    found = await changes.verify()
    assert found.broken is None, "the chain alone cannot tell"
    assert found.digest != noted


async def test_many_rows_are_read_in_pages(changes: Changes, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.adapters.store.audit_log.ROWS_AT_ONCE", 3)
    for number in range(8):
        await changes.audit(AuditEvent(what=Happened.MOVED, at=NOW, says=str(number)))
    assert (await changes.verify()).rows == 12
    sql.run(file, "UPDATE audit SET body = x'00' WHERE number = 11")
    assert (await changes.verify()).broken == 11


async def test_it_survives_being_opened_again(changes: Changes, opened: Opener) -> None:
    before, rows = await changes.get(1), await changes.audit_rows()
    again = Changes(await opened())
    assert again.memory.latest() == ()
    await again.refresh()
    assert await again.get(1) == before
    assert tuple(again.memory.latest()) == rows
    assert again.memory.frozen("prod", minutes(4)) == await again.freezes(minutes(4), "prod") != ()
    await again.audit(AuditEvent(what=Happened.MOVED, at=NOW))
    assert (await again.verify()).rows == 5
    await changes.audit(AuditEvent(what=Happened.MOVED, at=NOW, says="by the other replica"))
    assert (await again.verify()) == Verified(6, (await changes.audit_rows(last=1))[0].digest)


async def test_memory_waits_for_a_refresh_after_what_another_replica_wrote(changes: Changes, opened: Opener) -> None:
    other = Changes(await opened())
    await other.audit(AuditEvent(what=Happened.MOVED, at=NOW, says="by the other"))
    await other.thaw("prod", a_person(), minutes(4))
    await changes.audit(AuditEvent(what=Happened.MOVED, at=NOW, says="by this one"))
    assert [row.number for row in changes.memory.latest()] == [1, 2, 3, 4], "no gap is shown as if it were none"
    await changes.refresh()
    assert [row.number for row in changes.memory.latest()] == [1, 2, 3, 4, 5, 6, 7]
    assert changes.memory.frozen("prod", minutes(5)) == ()


async def test_nothing_is_done_where_its_audit_cannot_be_written(changes: Changes, file: Path) -> None:
    before = await changes.get(1)
    sql.run(file, "CREATE TRIGGER no BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END")
    with pytest.raises(StoreUnavailableError):
        await changes.move(1, ChangeState.APPROVED, ChangeState.APPLYING, now=NOW, actor="")
    with pytest.raises(StoreUnavailableError):
        await changes.propose(a_plan(), a_person(), 1, minutes(30), "prod", NOW)
    with pytest.raises(StoreUnavailableError):
        await changes.freeze("test", minutes(9), "why", a_person(), NOW)
    assert await changes.get(1) == before
    assert await changes.get(2) is None
    assert len(await changes.freezes(NOW)) == 0 == len(changes.memory.frozen("test", NOW))
    assert (await changes.verify()).rows == 4


async def test_of_approvers_at_two_replicas_one_is_counted(changes: Changes, opened: Opener) -> None:
    other = Changes(await opened())
    change = await changes.propose(a_plan(), a_person(), 2, minutes(30), "prod", NOW)

    async def click(replica: Changes, person: str) -> Change:
        return await replica.move(
            2, change.state, change.state, now=NOW, actor=person, nonce=change.nonce, approvals=(a_yes(person),)
        )

    clicks = [click(changes if number % 2 else other, f"U{number}") for number in range(10)]
    results = await asyncio.gather(*clicks, return_exceptions=True)
    (won,) = [one for one in results if isinstance(one, Change)]
    assert [type(one) for one in results if one is not won] == [ConflictError] * 9
    assert await other.get(2) == won
    assert (await other.verify()).broken is None


async def test_every_statement_can_be_said_to_postgresql(changes: Changes, url: str) -> None:
    engine = engine_for(parsed(url))
    said: list[str] = []

    def compiled(connection: object, statement: Any, *_: object) -> None:
        if not isinstance(statement, str):
            said.append(str(statement.compile(dialect=postgresql.dialect())))

    event.listen(engine.sync_engine, "before_execute", compiled)
    there = Changes(Store(parsed(url), engine))
    change = await there.propose(a_plan(), a_person(), 1, minutes(30), "prod", NOW)
    await there.move(change.number, change.state, ChangeState.APPLYING, now=NOW, actor="", nonce=change.nonce)
    await there.step_done(change.number, 0, "a", NOW)
    await there.freeze("prod", minutes(9), "why", a_person(), NOW)
    await there.thaw("prod", a_person(), NOW)
    await there.spent(change.nonce)
    await there.recent("prod", NOW)
    await there.open_changes()
    await there.refresh()
    await there.verify()
    await engine.dispose()
    assert sum("FOR UPDATE" in one for one in said) == 7, "the end of the chain each time, and the change when it moves"
    assert len(said) > 20


async def test_posts_without_an_outbox_are_a_fault_of_the_program(changes: Changes) -> None:
    with pytest.raises(TypeError, match="put_in"):
        await changes.propose(a_plan(), a_person(), 1, minutes(30), "prod", NOW, posts=lambda _: [])
    assert await changes.get(2) is None


async def test_every_button_is_hard_to_guess(changes: Changes) -> None:
    change = await changes.get(1)
    assert change is not None
    assert len(change.nonce) >= 22
    assert set(change.nonce) <= set(string.ascii_letters + string.digits + "-_")


def _set(file: Path, column: str, number: int, value: bytes) -> None:
    sql.run(file, f"UPDATE audit SET {column} = x'{value.hex()}' WHERE number = {number}")
