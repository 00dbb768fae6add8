"""What a ChangeStore promises, held by the database and by the stand-in for tests alike."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.adapters.store import Store
from bot.adapters.store.changes import Changes
from bot.domain.audit import AuditEvent, Happened
from bot.domain.change import Change, ChangeState
from bot.domain.errors import ConflictError, NotFoundError
from bot.domain.posting import Post
from bot.ports import AuditReader, ChangeStore
from tests.access.building import ANA, BEN, CHEN, CORDON, HOME, NOW, UNCORDON, a_person, a_plan, a_yes, minutes
from tests.fakes.changes import MemoryChanges

APPLIED, APPLYING, APPROVED = ChangeState.APPLIED, ChangeState.APPLYING, ChangeState.APPROVED
PROPOSED, REFUSED, UNDOING, UNDONE = ChangeState.PROPOSED, ChangeState.REFUSED, ChangeState.UNDOING, ChangeState.UNDONE


class Outbox:
    """Where posts are recorded within the store's transaction."""

    def __init__(self) -> None:
        self.posts: list[Post] = []

    async def put_in(self, connection: AsyncConnection, posts: Any, now: object) -> None:
        assert connection.in_transaction()
        self.posts.extend(posts)


@pytest.fixture(params=["sqlite", "memory"])
async def kept(request: pytest.FixtureRequest, url: str) -> AsyncIterator[Any]:
    """A ChangeStore with its `memory` and where its posts are."""
    if request.param == "memory":
        yield MemoryChanges()
        return
    store, outbox = await Store.open(url), Outbox()
    changes = Changes(store, outbox.put_in)
    changes.posts = outbox.posts  # type: ignore[attr-defined]  # as the stand-in has it
    yield changes
    await store.close()


async def proposed(changes: ChangeStore, **plan: Any) -> Change:
    return await changes.propose(a_plan(**plan), a_person(), 1, minutes(30), "prod", NOW, message="C0OPS/17.0001")


async def approved(changes: ChangeStore) -> Change:
    change = await proposed(changes)
    return await changes.move(
        change.number, PROPOSED, APPROVED, now=minutes(1), actor=BEN, nonce=change.nonce, approvals=(a_yes(),)
    )


async def test_both_are_what_the_ports_say(kept: Any) -> None:
    changes: ChangeStore = kept
    reader: AuditReader = kept.memory
    assert await changes.audit_rows() == tuple(reader.latest()) == ()


async def test_a_proposal_comes_back_as_it_was(kept: ChangeStore) -> None:
    change = await proposed(kept, ends_at=minutes(90), arguments={"node": "gpü-3", "n": "1"})
    assert (change.number, change.state, change.requester, change.channel) == (1, PROPOSED, ANA, "C0OPS")
    assert await kept.get(1) == await kept.by_nonce(change.nonce) == await kept.spent(change.nonce) == change
    found = await kept.get(1)
    assert found is not None
    assert found.plan.digest == change.plan.digest
    assert (await proposed(kept)).number == 2


async def test_numbers_and_nonces_are_each_their_own(kept: ChangeStore) -> None:
    made = await asyncio.gather(*(proposed(kept) for _ in range(10)))
    assert sorted(one.number for one in made) == list(range(1, 11))
    assert len({one.nonce for one in made}) == 10


async def test_what_was_never_there(kept: ChangeStore) -> None:
    assert (await kept.get(7), await kept.by_nonce("x"), await kept.by_nonce(""), await kept.spent("")) == (None,) * 4
    with pytest.raises(NotFoundError, match="There is no change 7"):
        await kept.move(7, PROPOSED, APPROVED, now=NOW, actor=BEN)
    with pytest.raises(NotFoundError, match="There is no change 7"):
        await kept.step_done(7, 0, "", NOW)


async def test_a_move_uses_the_button_up(kept: ChangeStore) -> None:
    change = await proposed(kept)
    before = change.nonce
    refused = await kept.move(1, PROPOSED, REFUSED, now=NOW, actor=BEN, nonce=before, told="ben said no")
    assert (refused.nonce, refused.told) == ("", "ben said no"), "a final state has no buttons"
    assert await kept.by_nonce(before) is None
    assert await kept.spent(before) == refused, "one can tell what came of it"


async def test_a_move_from_another_state_changes_nothing(kept: ChangeStore) -> None:
    change = await approved(kept)
    rows = await kept.audit_rows()
    with pytest.raises(ConflictError, match="Change 1 is approved by now"):
        await kept.move(1, PROPOSED, REFUSED, now=NOW, actor=CHEN)
    assert await kept.get(1) == change
    assert await kept.audit_rows() == rows


async def test_a_click_with_an_old_button_changes_nothing(kept: ChangeStore) -> None:
    first = await proposed(kept)
    second = await kept.move(1, PROPOSED, PROPOSED, now=NOW, actor=BEN, nonce=first.nonce, approvals=(a_yes(BEN),))
    with pytest.raises(ConflictError, match="used already"):
        await kept.move(1, PROPOSED, APPROVED, now=NOW, actor=CHEN, nonce=first.nonce, approvals=(a_yes(CHEN),))
    assert await kept.get(1) == second


async def test_of_ten_approvers_at_once_one_is_counted(kept: ChangeStore) -> None:
    change = await proposed(kept)

    async def click(person: str) -> Change:
        return await kept.move(
            1, PROPOSED, APPROVED, now=NOW, actor=person, nonce=change.nonce, approvals=(a_yes(person),)
        )

    results = await asyncio.gather(*(click(f"U{number}") for number in range(10)), return_exceptions=True)
    (won,) = [one for one in results if isinstance(one, Change)]
    assert sum(isinstance(one, ConflictError) for one in results) == 9
    assert await kept.get(1) == won
    assert len(won.approvals) == 1
    assert [row.event.what for row in await kept.audit_rows()] == [Happened.PROPOSED, Happened.APPROVED]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"approvals": (a_yes(),)}, id="an approval without a click"),
        pytest.param({"requester": BEN}, id="who asked for it"),
        pytest.param({"plan": a_plan(title="something else")}, id="what is to be done"),
        pytest.param({"colour": "red"}, id="what a change does not have"),
    ],
)
async def test_a_move_cannot_set(kept: ChangeStore, fields: dict[str, Any]) -> None:
    change = await proposed(kept)
    with pytest.raises(TypeError):
        await kept.move(1, PROPOSED, APPROVED, now=NOW, actor=BEN, **fields)
    assert await kept.get(1) == change


async def test_steps_are_recorded_once_and_in_order(kept: ChangeStore) -> None:
    await proposed(kept, steps=(CORDON, UNCORDON))
    await kept.move(1, PROPOSED, APPLYING, now=NOW, actor="")
    with pytest.raises(ConflictError, match="step 0 is not"):
        await kept.step_done(1, 1, "audit-b", NOW)
    await kept.step_done(1, 0, "audit-a", NOW)
    again = await kept.step_done(1, 0, "audit-a", NOW)
    last = await kept.step_done(1, 1, "audit-b", minutes(1))
    assert (again.done, last.done, last.audit_ids) == (1, 2, ("audit-a", "audit-b"))
    steps = [row.event for row in await kept.audit_rows() if row.event.what is Happened.STEP]
    assert [(one.audit_id, one.says) for one in steps] == [
        ("audit-a", "patch node/gpu-3"),
        ("audit-b", "patch node/gpu-3"),
    ]


async def test_all_of_a_changes_way_is_in_the_audit(kept: ChangeStore) -> None:
    await approved(kept)
    await kept.move(1, APPROVED, APPLYING, now=minutes(2), actor="")
    await kept.step_done(1, 0, "audit-a", minutes(2))
    await kept.move(1, APPLYING, APPLIED, now=minutes(3), actor="", told="gpu-3 is cordoned", applied_at=minutes(3))
    await kept.move(1, APPLIED, UNDOING, now=minutes(4), actor=CHEN, workspace=HOME, message="C0OPS/18", done=0)
    await kept.step_done(1, 0, "audit-b", minutes(5))
    end = await kept.move(1, UNDOING, UNDONE, now=minutes(6), actor="")
    assert (end.done, end.applied_at, end.told) == (1, minutes(3), "gpu-3 is cordoned")
    told = [(row.event.what, row.event.person, row.event.says) for row in await kept.audit_rows()]
    assert told == [
        (Happened.PROPOSED, ANA, "cordon gpu-3"),
        (Happened.APPROVED, BEN, "proposed → approved"),
        (Happened.MOVED, "", "approved → applying"),
        (Happened.STEP, "", "patch node/gpu-3"),
        (Happened.MOVED, "", "gpu-3 is cordoned"),
        (Happened.MOVED, CHEN, "applied → undoing"),
        (Happened.STEP, "", "patch node/gpu-3"),
        (Happened.MOVED, "", "undoing → undone"),
    ]
    first, *_, undo, _, _ = [row.event for row in await kept.audit_rows()]
    assert (first.message, first.change, first.cluster, first.workspace) == ("C0OPS/17.0001", 1, "prod", HOME)
    assert first.facts["digest"] == end.plan.digest
    assert (undo.message, undo.workspace, undo.facts) == ("C0OPS/18", HOME, {"from": "applied", "to": "undoing"})
    assert (await kept.verify()).broken is None


async def test_what_is_recent_and_what_is_open(kept: ChangeStore) -> None:
    await approved(kept)
    await proposed(kept)
    await kept.move(2, PROPOSED, REFUSED, now=NOW, actor=BEN)
    await kept.propose(a_plan(), a_person(), 0, minutes(30), "other", minutes(-90))
    await kept.move(3, PROPOSED, APPLIED, now=NOW, actor="", applied_at=NOW, undo_at=minutes(60))
    await kept.propose(a_plan(), a_person(), 0, minutes(30), "other", minutes(-90))
    await kept.move(4, PROPOSED, APPLIED, now=minutes(-89), actor="", applied_at=minutes(-89))
    hour_ago = NOW - timedelta(hours=1)
    assert [one.number for one in await kept.recent("prod", hour_ago)] == [1, 2]
    assert [one.number for one in await kept.recent("other", hour_ago)] == [3], "by when it was applied"
    assert [one.number for one in await kept.open_changes()] == [1, 3], "3 is undone by the clock"


async def test_posts_are_made_of_the_change_as_it_is_then(kept: Any) -> None:
    def card(change: Change) -> list[Post]:
        return [Post(key=f"change/{change.number}", channel="C0OPS", text=f"{change.state} {change.nonce}")]

    first = await kept.propose(a_plan(), a_person(), 1, minutes(30), "prod", NOW, posts=card)
    second = await kept.move(1, PROPOSED, APPROVED, now=NOW, actor=BEN, posts=card)
    with pytest.raises(ConflictError):
        await kept.move(1, PROPOSED, APPROVED, now=NOW, actor=BEN, posts=card)
    assert [one.text for one in kept.posts] == [f"proposed {first.nonce}", f"approved {second.nonce}"]


async def test_refusals_are_rows_like_all_others(kept: Any) -> None:
    denied = AuditEvent(
        what=Happened.CLICK_REFUSED, at=NOW, cluster="prod", person=ANA, change=1, says="asked for it herself"
    )
    await proposed(kept)
    await kept.audit(denied)
    assert [row.event for row in await kept.audit_rows(last=1)] == [denied]
    assert kept.memory.latest() == await kept.audit_rows()
    assert (await kept.verify()).rows == 2


async def test_freezes_hold_until_their_end(kept: Any) -> None:
    dora = a_person("U0DORA")
    made = await kept.freeze("prod", minutes(120), "the launch", dora, NOW)
    everywhere = await kept.freeze("", minutes(60), "the audit", dora, NOW)
    assert await kept.freezes(minutes(1), "prod") == (made, everywhere) == kept.memory.frozen("prod", minutes(1))
    assert await kept.freezes(minutes(1), "test") == (everywhere,) == kept.memory.frozen("test", minutes(1))
    assert await kept.freezes(minutes(61)) == (made,)
    assert await kept.freezes(minutes(121)) == ()
    assert [one.number for one in await kept.thaw("prod", dora, minutes(10))] == [1, 2]
    assert await kept.freezes(minutes(11)) == () == kept.memory.frozen("prod", minutes(11))
    assert await kept.thaw("prod", dora, minutes(12)) == ()
    assert [row.event.what for row in await kept.audit_rows()] == [Happened.FROZEN] * 2 + [Happened.THAWED] * 2


async def test_a_plan_with_everything_in_it_keeps_its_digest(kept: ChangeStore) -> None:
    plan = {"steps": (CORDON,), "cleanup": (UNCORDON,), "ends_at": minutes(90), "because": "ünd “so”"}
    change = await proposed(kept, **plan)
    found = await kept.get(change.number)
    assert found is not None
    assert found.plan.digest == a_plan(**plan).digest
