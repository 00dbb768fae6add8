"""Who somebody is: asked of Slack, judged by the rules, remembered for some minutes; in doubt they may read."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import aiohttp
import pytest

from bot.access.rules import Grant, Identities, Rules
from bot.domain.person import Access, Identity
from bot.local.workspace import UserGroup, Workspace
from bot.slack.connection import check, plain_client
from bot.slack.people import KEPT_SECONDS, Caller, People
from tests.slack.conftest import SETUP

ANA = Caller("U0ANA", "C0OPS", "T0LOCAL")
BEN = Caller("U0BEN", "C0OPS", "T0LOCAL")
ONCALL = Grant(groups=frozenset({"S0CALL"}))


@dataclass
class Town:
    workspace: Workspace
    people: People
    rules: Rules
    now: float = 0.0


@pytest.fixture
async def town(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    workspace = Workspace(replace(SETUP, groups=(UserGroup("S0CALL", "oncall", "On call", ("U0BEN",)),)))
    await workspace.start()
    async with aiohttp.ClientSession() as session:
        client = plain_client("xoxb-local", workspace.api_url, session)
        home = (await check(client)).workspace
        made = Town(workspace, None, Rules(operators=(ONCALL,)).at_home(home))  # type: ignore[arg-type]  # set below
        made.people = People(client, lambda: made.rules, lambda: made.now)
        yield made
    await workspace.stop()


async def test_a_user_group_gives_its_role(town: Town) -> None:
    assert (await town.people.asker(ANA)).access is Access.READ
    assert (await town.people.asker(BEN)).access is Access.OPERATE
    assert (await town.people.asker(BEN)).name == "ben"


async def test_a_confirmed_address_names_the_kubernetes_user(town: Town) -> None:
    town.rules = replace(town.rules, identities=Identities(by_email=True, groups={"S0CALL": ("team-llm",)}))
    assert (await town.people.asker(BEN)).identity == Identity("ben@example.com", ("team-llm",))


async def test_slack_is_asked_once_in_some_minutes(town: Town) -> None:
    for _ in range(5):
        await town.people.asker(BEN)
    town.workspace.faults.fail("users.info", "user_not_found")
    assert (await town.people.asker(BEN)).access is Access.OPERATE, "it was not asked"
    town.now = KEPT_SECONDS
    assert (await town.people.asker(BEN)).access is Access.READ, "it was, and did not tell"


@pytest.mark.parametrize("method", ["users.info", "usergroups.list"])
async def test_where_slack_does_not_tell_nobody_gets_more_than_reading(town: Town, method: str) -> None:
    town.rules = replace(town.rules, operators=(ONCALL, Grant(users=frozenset({"U0ANA"}))))
    town.workspace.faults.fail(method, "missing_scope")
    found = await town.people.asker(ANA)
    assert (found.access, found.identity) == (Access.READ, None)
    assert (await town.people.asker(ANA)).access is Access.OPERATE


async def test_a_person_of_another_workspace_is_nobody(town: Town) -> None:
    town.rules = replace(town.rules, workspaces=frozenset({"T0ELSE"}))
    assert (await town.people.asker(BEN)).access is Access.NOBODY


async def test_the_bot_itself_is_nobody(town: Town) -> None:
    assert (await town.people.asker(Caller("U0GPUBOT", "C0OPS", "T0LOCAL"))).access is Access.NOBODY


async def test_whoever_asked_before_is_known_only_in_their_own_workspace(town: Town) -> None:
    assert await town.people.somebody("U0BEN", "T0ELSE", "C0OPS") is None
    assert await town.people.somebody("", "", "") is None
    found = await town.people.somebody("U0BEN", "T0LOCAL", "C0OPS")
    assert found is not None
    assert found.access is Access.OPERATE
