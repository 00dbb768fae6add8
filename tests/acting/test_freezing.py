"""`/gpu freeze` from the typed line to the store: who may, what is kept, and what is said."""

from datetime import timedelta
from typing import Any

import pytest

from bot.acting import freezing
from bot.acting.actor import Doing
from bot.command import Cluster, Request
from bot.dialogue import all_commands, understand
from bot.domain.audit import Happened
from bot.domain.errors import ForbiddenError, UsageError, UserError
from bot.domain.freeze import SetFreeze
from bot.domain.person import TERMINAL, Access, Asker
from bot.views.text import render
from commands.freeze import run
from tests.access.building import BEN, DORA, NOW, a_person, minutes
from tests.factories import a_cluster
from tests.fakes.changes import MemoryChanges

ADMIN, OPERATOR = a_person(DORA, Access.ADMIN), a_person(BEN)
KNOWN = all_commands()


def cluster_with(changes: MemoryChanges) -> Cluster:
    plain = a_cluster()
    return Cluster("prod", plain.view, plain.inventory, audit=changes.memory)


def request(line: str, changes: MemoryChanges | None = None, asker: Asker = ADMIN) -> Request:
    asked = understand(line, KNOWN)
    return Request(asked.words, asked.options, line, cluster_with(changes or MemoryChanges()), NOW, asker=asker)


async def done(line: str, changes: MemoryChanges, asker: Asker = ADMIN) -> str:
    """The whole way: what a person sees in the end."""
    asked = request(line, changes, asker)
    (intent,) = run(asked).intents
    assert isinstance(intent, SetFreeze)
    return render(await freezing.ACTOR.act(intent, Doing(asker, asked.cluster, lambda: NOW, changes)))


@pytest.mark.parametrize(
    ("line", "hours", "because"),
    [
        pytest.param("freeze 2h because the launch", 2, "the launch", id="hours"),
        pytest.param("/gpu freeze 90m because x", 1.5, "x", id="minutes"),
        pytest.param("freeze for 1d because x", 24, "x", id="for a day"),
        pytest.param("freeze 1h30min because x", 1.5, "x", id="both"),
        pytest.param("freeze 1h 30min because x", 1.5, "x", id="apart"),
        pytest.param("freeze until 18:00 because x", 6, "x", id="until a time of today"),
        pytest.param("freeze until 11:00 BECAUSE of it", 23, "of it", id="until a time of tomorrow"),
        pytest.param("freeze 2h because because", 2, "because", id="an odd reason"),
    ],
)
def test_what_was_typed(line: str, hours: float, because: str) -> None:
    assert run(request(line)).intents == (SetFreeze(NOW + timedelta(hours=hours), because),)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("freeze 2h", "A freeze needs a reason", id="no reason"),
        pytest.param("freeze 2h because", "A freeze needs a reason", id="an empty reason"),
        pytest.param("freeze because x", "is no length of time", id="no length"),
        pytest.param("freeze soon because x", "“soon” is no length of time", id="what is no length"),
        pytest.param("freeze -2h because x", "is no length of time", id="a negative length"),
        pytest.param("freeze 0h because x", "is no length of time", id="nothing"),
        pytest.param("freeze 25:00 because x", "is no length of time", id="no time of day"),
        pytest.param("freeze 99999999999d because x", "is no length of time", id="a huge number"),
        pytest.param("freeze 15d because x", "at most 14 days", id="too long"),
        pytest.param("freeze ２h２ because x", "is no length of time", id="digits that only look like some, glued"),
        pytest.param("freeze 2h because " + "x" * 301, "has 301 characters", id="a reason that is a book"),
    ],
)  # fmt: skip
def test_what_is_no_freeze(line: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        run(request(line))
    assert said in str(raised.value)
    assert "/gpu freeze" in str(raised.value) or "again" in str(raised.value) or "kept" in str(raised.value)


async def test_a_freeze_is_kept_shown_and_ended() -> None:
    changes = MemoryChanges()
    assert "frozen until 14:00 UTC (in 2 h)" in await done("freeze 2h because the <!channel> launch", changes)
    shown = render(run(request("freeze", changes, a_person("U0EVA", Access.READ))).document)
    assert "Changes of prod are frozen until 14:00 UTC (in 2 h)." in shown
    assert "because the ‹!channel> launch" in shown
    assert [one.by for one in await changes.freezes(minutes(1), "prod")] == [DORA]
    assert "may be made again" in await done("freeze off", changes)
    assert "were not frozen" in await done("freeze off", changes)
    assert "are not frozen" in render(run(request("freeze", changes)).document)
    assert [row.event.what for row in changes.rows] == [Happened.FROZEN, Happened.THAWED]


@pytest.mark.parametrize(
    "asker",
    [
        pytest.param(OPERATOR, id="an operator"),
        pytest.param(a_person("U0EVA", Access.READ), id="a reader"),
        pytest.param(a_person(DORA, Access.NOBODY), id="an admin of another workspace"),
    ],
)
async def test_only_admins_freeze(asker: Asker) -> None:
    with pytest.raises(ForbiddenError, match="needs the role admin"):
        run(request("freeze 2h because x", asker=asker))
    changes = MemoryChanges()
    doing = Doing(asker, cluster_with(changes), lambda: NOW, changes)
    for intent in (SetFreeze(minutes(60), "x"), SetFreeze(None)):
        with pytest.raises(ForbiddenError, match="needs the role admin"):
            await freezing.act(intent, doing)
    assert await changes.freezes(NOW) == ()
    assert [(row.event.what, row.event.person) for row in changes.rows] == [(Happened.REFUSED, asker.id)] * 2


async def test_a_terminal_sees_the_preview_and_freezes_nothing() -> None:
    reply = run(request("freeze 2h because x", asker=TERMINAL))
    assert render(reply.document).startswith("Would freeze changes of prod until 14:00 UTC")
    changes = MemoryChanges()
    with pytest.raises(ForbiddenError):
        await freezing.act(SetFreeze(minutes(60), "x"), Doing(TERMINAL, cluster_with(changes), lambda: NOW, changes))


async def test_without_a_record_there_is_no_freeze() -> None:
    doing: Any = Doing(ADMIN, a_cluster(), lambda: NOW)
    with pytest.raises(UserError, match="keeps no record"):
        await freezing.act(SetFreeze(minutes(60), "x"), doing)
    plain = Request((), {}, "freeze", a_cluster(), NOW)
    assert not run(plain).answer.told
