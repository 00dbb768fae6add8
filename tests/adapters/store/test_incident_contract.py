"""What an IncidentStore promises, held by the database and by the stand-in for tests alike."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.acting.incidents.telling import posts
from bot.adapters.store import Store
from bot.adapters.store.incidents import Incidents
from bot.domain.alert import Look, Seen
from bot.domain.errors import NotFoundError
from bot.domain.incident import Book, Deed, EndSilence, ManageIncident, SetSilence
from bot.domain.posting import Post
from bot.domain.silence import Matcher
from bot.incidents import deeds, silences
from bot.ports import IncidentStore
from tests.alerts.building import NODES, NOW, RULES, crashing, down, lost
from tests.fakes.incidents import MemoryIncidents
from tests.incidents.building import ANA, decide

CLUSTERS = ("prod", "dev")


class Outbox:
    """Where posts are recorded within the store's transaction."""

    def __init__(self) -> None:
        self.posts: list[Post] = []

    async def put_in(self, connection: AsyncConnection, posts: Any, now: object) -> None:
        assert connection.in_transaction()
        self.posts.extend(posts)


@pytest.fixture(params=["sqlite", "memory"])
async def kept(request: pytest.FixtureRequest, url: str) -> AsyncIterator[Any]:
    """An IncidentStore with where its posts are."""
    if request.param == "memory":
        yield MemoryIncidents(CLUSTERS)
        return
    store, outbox = await Store.open(url), Outbox()
    made = Incidents(store, CLUSTERS, outbox.put_in)
    made.posts = outbox.posts  # type: ignore[attr-defined]  # as the stand-in has it
    yield made
    await store.close()


async def looked(kept: IncidentStore, *bundles: Any, cluster: str = "prod", minute: float = 0) -> Book:
    look, now = Look(bundles=bundles, seen=Seen(nodes=NODES)), NOW + timedelta(minutes=minute)
    return await kept.change(cluster, decide(look, RULES, now), now, posts)


async def test_what_is_decided_is_there_and_told_at_once(kept: Any) -> None:
    await looked(kept, lost())
    book = await looked(kept, lost(), minute=1)
    assert kept.incidents("prod") == book
    assert list(book.incidents) == [1]
    assert [post.key for post in kept.posts] == ["incident/prod/1", "incident/prod/1/evidence"]


async def test_numbers_are_given_once_for_all_clusters(kept: Any) -> None:
    for minute in (0, 1):
        await looked(kept, lost(), minute=minute)
        await looked(kept, lost("gpu-2"), cluster="dev", minute=minute)
    assert (list(kept.incidents("prod").incidents), list(kept.incidents("dev").incidents)) == ([1], [2])


async def test_nothing_changed_is_nothing_written(kept: Any) -> None:
    before = await looked(kept, lost())
    assert await kept.change("prod", lambda book: book, NOW, posts) == before
    assert kept.posts == []


async def test_what_cannot_be_decided_changes_nothing(kept: Any) -> None:
    before = await looked(kept, lost())
    with pytest.raises(NotFoundError):
        await kept.change("prod", lambda book: deeds.do(book, ManageIncident(9, Deed.TAKE), ANA, NOW), NOW)
    assert kept.incidents("prod") == before


async def told(kept: Any) -> Book:
    """Some of everything: what fires, what is over, what was merged, noted and silenced."""
    await looked(kept, down("gpu-9", "llm/glm"), crashing("dev/nb"))
    await looked(kept, down("gpu-9", "llm/glm"), crashing("dev/nb"), minute=1)
    for intent in (
        ManageIncident(1, Deed.TAKE),
        ManageIncident(1, Deed.NOTE, "gpü-9 is off"),
        ManageIncident(2, Deed.CLOSE),
    ):
        await kept.change("prod", lambda book, one=intent: deeds.do(book, one, ANA, NOW), NOW, posts)
    silence = SetSilence((Matcher("any", "gpu-8"),), NOW + timedelta(hours=2), "it is being repaired")
    await kept.change("prod", lambda book: silences.begin(book, silence, ANA, NOW)[0], NOW)
    await kept.change("prod", lambda book: silences.end(book, EndSilence(1), NOW)[0], NOW)
    for minute in (2, 3, 4):
        await looked(kept, crashing("dev/nb"), minute=minute)
    return await looked(kept, crashing("dev/nb"), lost("gpu-1"), minute=5)


async def test_after_a_restart_it_is_exactly_as_it_was(url: str) -> None:
    store = await Store.open(url)
    before = await told(Incidents(store, CLUSTERS))
    other = Incidents(store, CLUSTERS)
    assert other.incidents("prod").trouble == "not read yet"
    await other.refresh()
    assert other.incidents("prod") == before
    assert before.incidents[1].timeline[1].name == "ana"
    await store.close()


async def test_two_replicas_that_decide_at_once_lose_nothing(url: str) -> None:
    store = await Store.open(url)
    one, other = Incidents(store, CLUSTERS), Incidents(store, CLUSTERS)
    await told(one)
    await other.refresh()
    await one.change("prod", lambda book: deeds.do(book, ManageIncident(1, Deed.NOTE, "one"), ANA, NOW), NOW)
    book = await other.change("prod", lambda book: deeds.do(book, ManageIncident(1, Deed.NOTE, "two"), ANA, NOW), NOW)
    assert [line.says for line in book.incidents[1].timeline[-2:]] == ["one", "two"]
    await store.close()


async def test_what_was_over_long_ago_is_forgotten(url: str) -> None:
    store = await Store.open(url)
    kept = Incidents(store, CLUSTERS)
    await told(kept)
    await kept.prune(NOW + timedelta(days=91), days=90)
    assert 2 not in kept.incidents("prod").incidents
    assert 1 in kept.incidents("prod").incidents
    assert kept.incidents("prod").silences == {}
    await store.close()


async def test_the_stand_in_and_the_database_say_the_same(url: str) -> None:
    store = await Store.open(url)
    real, stand_in = await told(Incidents(store, CLUSTERS)), await told(MemoryIncidents(CLUSTERS))
    assert msgspec.structs.asdict(real) == msgspec.structs.asdict(stand_in)
    await store.close()
