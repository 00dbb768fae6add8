"""What people do with incidents is done, kept and told in the thread; who may not, may not."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.acting.actor import Doing
from bot.acting.collect import act
from bot.domain.document import Document
from bot.domain.errors import ForbiddenError, UserError
from bot.domain.incident import Deed, EndSilence, ManageIncident, SetSilence, SweepNow, TryRoute
from bot.domain.intent import Intent
from bot.domain.posting import Post
from bot.domain.silence import Matcher
from bot.views.text import render
from tests.commands.incident_lines import ANA, READER, a_cluster, watched


class Outbox:
    """A Posts."""

    def __init__(self) -> None:
        self.posts: list[Post] = []

    async def put(self, posts: Sequence[Post], now: datetime) -> None:
        self.posts += posts


def a_doing(**changed: Any) -> tuple[Doing, Any]:
    watch = watched()
    cluster = a_cluster(watch)
    defaults: dict[str, Any] = {
        "asker": ANA,
        "cluster": cluster,
        "now": lambda: watch.now,
        "incidents": cluster.incidents,
    }
    return Doing(**(defaults | changed)), cluster.incidents


async def done(doing: Doing, intent: Intent) -> str:
    shown = await act((intent,), doing)
    assert isinstance(shown, Document)
    return render(shown)


async def test_taking_one_says_so_in_its_thread() -> None:
    doing, store = a_doing()
    assert (await done(doing, ManageIncident(2, Deed.TAKE))).startswith("Incident 2 is acknowledged: gpu-1")
    assert [post.key for post in store.posts] == ["incident/prod/2", "incident/prod/2/1"]
    assert store.posts[1].text.endswith("ana took it")


async def test_a_silence_begins_and_ends() -> None:
    doing, store = a_doing()
    intent = SetSilence((Matcher("any", "gpu-1"),), doing.now() + timedelta(hours=2), "it is replaced")
    assert (await done(doing, intent)).startswith("Silence 1: nothing is said of gpu-1 until")
    assert store.incidents("prod").silences[1].by == "U0ANA"
    assert (await done(doing, EndSilence(1))).startswith("Silence 1 of gpu-1 is over")
    assert store.incidents("prod").standing_silences(doing.now()) == ()


async def test_a_test_goes_to_the_routes_channel_and_pings_nobody() -> None:
    outbox = Outbox()
    doing, _ = a_doing(posts=outbox)
    await done(doing, TryRoute("all"))
    assert [post.channel for post in outbox.posts] == ["C0OPS"]
    assert "nothing is wrong" in outbox.posts[0].text
    assert "S0ONCALL" not in str(outbox.posts[0].blocks)


@pytest.mark.parametrize("intent", [ManageIncident(2, Deed.TAKE), EndSilence(1), TryRoute("")])
async def test_who_may_only_read_is_refused_here_as_well(intent: Intent) -> None:
    doing, store = a_doing(asker=READER, posts=Outbox())
    with pytest.raises(ForbiddenError, match="operator"):
        await act((intent,), doing)
    assert store.posts == []


@pytest.mark.parametrize("intent", [ManageIncident(2, Deed.TAKE), SweepNow()])
async def test_where_nothing_is_watched_it_says_so(intent: Intent) -> None:
    doing, _ = a_doing(incidents=None)
    with pytest.raises(UserError, match="watched"):
        await act((intent,), doing)
