"""`/gpu audit`: what is shown of the audit, to whom, and nothing that a cluster or person wrote is obeyed."""

import pytest

from bot.command import Cluster, Request
from bot.dialogue import all_commands, understand
from bot.domain.audit import AuditEvent, Happened
from bot.domain.change import ChangeState
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.person import TERMINAL, Asker
from bot.views import blocks
from bot.views.text import render
from commands.audit import COMMAND, run
from tests.access.building import ANA, BEN, HOME, NOW, a_person, a_plan, a_yes, minutes
from tests.factories import a_cluster
from tests.fakes.changes import MemoryChanges
from tests.views import golden_files

KNOWN = all_commands()


@pytest.fixture
async def changes() -> MemoryChanges:
    kept = MemoryChanges()
    change = await kept.propose(a_plan(because="maintenance"), a_person(ANA), 1, minutes(30), "prod", NOW)
    await kept.audit(
        AuditEvent(
            what=Happened.CLICK_REFUSED, at=minutes(1), cluster="prod", person=ANA, workspace=HOME, change=1,
            says="You asked for it yourself: somebody else must approve it",
        )
    )  # fmt: skip
    approved = ChangeState.APPROVED
    await kept.move(1, change.state, approved, now=minutes(2), actor=BEN, nonce=change.nonce, approvals=(a_yes(BEN),))
    await kept.move(1, approved, ChangeState.APPLYING, now=minutes(3), actor="")
    await kept.step_done(1, 0, "0c6f1b9e-4f2a-4c0e-9d2f-0f5f8a6d1c11", minutes(3))
    await kept.propose(a_plan(title="restart <!channel> *llm*/glm"), a_person(BEN), 0, minutes(30), "prod", minutes(4))
    await kept.propose(a_plan(), a_person(BEN), 0, minutes(30), "other", minutes(5))
    return kept


def ask(line: str, changes: MemoryChanges, asker: Asker = TERMINAL) -> str:
    return render(run(request(line, changes, asker)).document)


def request(line: str, changes: MemoryChanges, asker: Asker = TERMINAL) -> Request:
    asked = understand(line, KNOWN)
    assert asked.command is COMMAND
    plain = a_cluster()
    cluster = Cluster("prod", plain.view, plain.inventory, audit=changes.memory)
    return Request(asked.words, asked.options, line, cluster, minutes(60), asker=asker)


def test_how_it_looks(changes: MemoryChanges) -> None:
    reply = run(request("audit", changes))
    golden_files.matches("audit", render(reply.document))
    golden_files.matches("audit_blocks", blocks.all_of(reply.document))
    assert reply.answer.numbers["refused"] == 1


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        pytest.param("audit", "rows 1 to 6", id="all of this cluster"),
        pytest.param("audit last 2", "rows 5 to 6", id="the newest two"),
        pytest.param("audit last=2", "rows 5 to 6", id="as an option"),
        pytest.param("audit change 1", "rows 1 to 5", id="of one change"),
        pytest.param("audit change #2", "rows 6 to 6", id="of another"),
        pytest.param(f"audit person {BEN}", "rows 3 to 6", id="of one person"),
        pytest.param(f"audit by=<@{ANA}>", "rows 1 to 2", id="of a person as Slack writes one"),
        pytest.param("audit me", "rows 3 to 6", id="of oneself"),
    ],
)
def test_what_is_asked_for(changes: MemoryChanges, line: str, rows: str) -> None:
    assert rows in ask(line, changes, a_person(BEN))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("audit change 3", id="a change of another cluster"),
        pytest.param("audit change 99", id="a change that is not there"),
        pytest.param("audit person U0EVA", id="somebody who did nothing"),
    ],
)
def test_what_is_not_there(changes: MemoryChanges, line: str) -> None:
    assert ask(line, changes) == "Nothing of that is among the newest rows."


def test_an_empty_audit() -> None:
    assert ask("audit", MemoryChanges()) == "Nothing was asked for or done yet."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("audit last -1", "is no number", id="a negative number"),
        pytest.param("audit last 0", "is no number", id="none"),
        pytest.param("audit last ٣", "is no number", id="digits of another script"),
        pytest.param("audit change " + "9" * 30, "is no number", id="a huge number"),
        pytest.param("audit everything", "“everything” is not understood", id="another word"),
        pytest.param("audit last 2 change 1", "is not understood", id="two things at once"),
        pytest.param("audit me", "nobody knows who you are", id="me, at a terminal"),
    ],
)
def test_what_is_not_understood(changes: MemoryChanges, line: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        ask(line, changes)
    assert said in str(raised.value)
    assert "try `/gpu audit last 20`" in str(raised.value)


def test_where_none_is_kept() -> None:
    with pytest.raises(NotFoundError, match="No audit is kept here"):
        run(Request((), {}, "audit", a_cluster(), NOW))


async def test_a_long_audit_fits_one_message() -> None:
    kept = MemoryChanges()
    for number in range(50):
        await kept.audit(AuditEvent(what=Happened.DENIED, at=NOW, cluster="prod", says=f"{number} " + "x" * 400))
    reply = run(request("audit last 999", kept))
    assert len(render(reply.document)) <= 4_000
    assert "40 rows of the audit" in render(reply.document)
