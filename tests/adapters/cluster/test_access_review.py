"""Who may do what, asked of the cluster: three answers, kept for seconds for reads and never for a change."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.adapters.cluster.access_review import KEPT_SECONDS, AccessReviews, Question
from bot.adapters.cluster.connection import plain
from bot.adapters.cluster.impersonation import all_groups
from bot.adapters.cluster.writer import ClusterWriter
from bot.domain.person import Identity
from bot.domain.writing import Review
from tests.adapters.cluster.writing import BOT, Place, a_place, bind, rule, user

REVIEWS = "/apis/authorization.k8s.io/v1/"
ANA = Identity("ana", ("team-a",))


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with a_place() as made:
        bind(made.store, "bot", user(BOT), rule("create", "*", "authorization.k8s.io"), rule("list", "pods"))
        bind(made.store, "ana", user("ana"), rule("patch", "deployments/scale", "apps"))
        yield made


async def may_scale(writer: ClusterWriter, who: Identity | None, *, fresh: bool = True) -> Review:
    return await writer.may(
        who, "patch", api_group="apps", resource="deployments", subresource="scale", namespace="llm", fresh=fresh
    )


async def test_a_yes_and_a_no_name_what_was_asked(place: Place) -> None:
    assert await may_scale(place.writer, ANA) == Review(True, "ana may patch deployments/scale.apps in llm.")
    assert await may_scale(place.writer, Identity("ben")) == Review(
        False,
        "no role gives ben the right to patch deployments/scale.apps in llm.",
    )


async def test_gpubot_asks_for_itself(place: Place) -> None:
    assert (await place.writer.may(None, "list", resource="pods")).allowed is True
    assert await place.writer.may(None, "delete", resource="pods") == Review(
        False, "no role gives gpubot the right to delete pods in the whole cluster."
    )


async def test_who_may_not_ask_does_not_know() -> None:
    async with a_place() as place:
        bind(place.store, "bot", user(BOT), rule("list", "pods"))
        review = await may_scale(place.writer, ANA)
    assert review.allowed is None
    assert "its role lacks `create` on subjectaccessreviews" in review.reason


async def test_without_an_answer_it_is_not_known() -> None:
    async with plain("http://127.0.0.1:1") as connection:
        review = await may_scale(ClusterWriter(connection), ANA)
    assert (review.allowed, "connection refused" in review.reason) == (None, True)


async def test_a_socket_that_died_in_between_is_no_reason_not_to_know() -> None:
    answer = b'{"status":{"allowed":true}}'

    async def once_for_each_socket(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _one_request(reader)
        writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer))
        await writer.drain()
        await reader.read(1)  # the next request, or the end
        writer.close()

    server = await asyncio.start_server(once_for_each_socket, "127.0.0.1", 0)
    async with server, plain(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as connection:
        writer = ClusterWriter(connection)
        assert [(await may_scale(writer, ANA)).allowed for _ in range(3)] == [True, True, True]


async def _one_request(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(int(length.partition(b":")[2]))


async def test_nobody_is_no_question(place: Place) -> None:
    assert (await may_scale(place.writer, Identity(""))).allowed is None


class Counted(AccessReviews):
    """Counts what is asked of the server, and has its own time."""

    def __init__(self, connection: Any) -> None:
        super().__init__(connection, clock=lambda: self.now)
        self.now = 0.0
        self.asked = 0

    async def _ask(self, question: Question) -> Review:
        self.asked += 1
        return await super()._ask(question)


async def test_an_answer_is_kept_for_seconds_and_never_for_a_change(place: Place) -> None:
    reviews = Counted(place.writer._connection)
    writer = ClusterWriter(place.writer._connection, reviews=reviews)
    for _ in range(3):
        await may_scale(writer, ANA, fresh=False)
    assert reviews.asked == 1
    await may_scale(writer, Identity("ana"), fresh=False)  # without the group it is another question
    assert reviews.asked == 2
    await may_scale(writer, ANA, fresh=True)
    assert reviews.asked == 3
    reviews.now += KEPT_SECONDS
    await may_scale(writer, ANA, fresh=False)
    assert reviews.asked == 4


async def test_what_is_not_known_is_asked_again(place: Place) -> None:
    reviews = Counted(place.writer._connection)
    writer = ClusterWriter(place.writer._connection, reviews=reviews)
    place.server.fail(REVIEWS, 503)
    assert (await may_scale(writer, ANA, fresh=False)).allowed is None
    assert (await may_scale(writer, ANA, fresh=False)).allowed is True


async def test_a_right_that_was_taken_away_is_gone_for_the_next_change(place: Place) -> None:
    assert (await may_scale(place.writer, ANA, fresh=False)).allowed is True
    place.store.delete(place.store.resources["rbac.authorization.k8s.io", "clusterrolebindings"], "", "ana")
    assert (await may_scale(place.writer, ANA, fresh=True)).allowed is False
    assert (await may_scale(place.writer, ANA, fresh=False)).allowed is False


@pytest.mark.parametrize(
    ("identity", "groups"),
    [
        pytest.param(ANA, ("team-a", "system:authenticated"), id="everybody known is authenticated"),
        pytest.param(
            Identity("system:serviceaccount:llm:ci"),
            ("system:authenticated", "system:serviceaccounts", "system:serviceaccounts:llm"),
            id="a service account has its groups by its name",
        ),
    ],
)
def test_groups_are_those_that_the_server_would_add(identity: Identity, groups: tuple[str, ...]) -> None:
    assert all_groups(identity) == groups
