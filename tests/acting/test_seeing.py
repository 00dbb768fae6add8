"""Who sees which namespaces: asked of the authorizer, remembered for a minute, believed while it does not answer."""

from typing import Any

from bot.access.hiding import Sight
from bot.acting.seeing import BELIEVED_SECONDS, KEPT_SECONDS, Seeing
from bot.domain.person import Asker, Identity
from bot.domain.workload import Namespace
from bot.domain.writing import Review
from tests.factories import a_cluster, put

CLUSTER = a_cluster()
for _name in ("llm", "secret"):
    put(CLUSTER.view, Namespace(name=_name))
DORA = Asker(id="U1", workspace="T1", identity=Identity("dora"))


class Authorizer:
    """`seen`: namespaces whose pods may be listed; an empty text: all. away: it does not answer."""

    def __init__(self, *seen: str) -> None:
        self.seen, self.away, self.asked = set(seen), False, 0

    async def may(
        self, identity: Identity | None, verb: str, *, resource: str, namespace: str = "", **_: Any
    ) -> Review:
        assert (identity, verb, resource) == (DORA.identity, "list", "pods")
        self.asked += 1
        return Review(None if self.away else namespace in self.seen, "")


class Moment:
    at = 0.0

    def __call__(self) -> float:
        return self.at


def seeing(authorizer: Authorizer) -> tuple[Seeing, Moment]:
    clock = Moment()
    return Seeing({"test": authorizer}, clock), clock  # type: ignore[dict-item]


async def test_whoever_may_list_pods_everywhere_is_asked_about_once_a_minute() -> None:
    authorizer = Authorizer("")
    eyes, clock = seeing(authorizer)
    assert await eyes.sight(DORA, CLUSTER) == Sight()
    assert await eyes.sight(DORA, CLUSTER) == Sight()
    assert authorizer.asked == 1
    clock.at += KEPT_SECONDS
    await eyes.sight(DORA, CLUSTER)
    assert authorizer.asked == 2


async def test_else_each_namespace_is_asked_about() -> None:
    eyes, _ = seeing(Authorizer("llm"))
    assert (await eyes.sight(DORA, CLUSTER)).hidden == {"secret"}


async def test_a_right_that_is_lost_is_lost_after_a_minute() -> None:
    authorizer = Authorizer("llm", "secret")
    eyes, clock = seeing(authorizer)
    assert (await eyes.sight(DORA, CLUSTER)).hidden == frozenset()
    authorizer.seen.discard("secret")
    clock.at += KEPT_SECONDS
    assert (await eyes.sight(DORA, CLUSTER)).hidden == {"secret"}


async def test_whoever_is_nobody_in_kubernetes_goes_by_the_bots_own_rules() -> None:
    authorizer = Authorizer()
    eyes, _ = seeing(authorizer)
    assert await eyes.sight(Asker(id="U2"), CLUSTER) == Sight()
    assert authorizer.asked == 0


async def test_an_authorizer_that_does_not_answer_hides_everything_and_says_so() -> None:
    authorizer = Authorizer("llm")
    authorizer.away = True
    eyes, _ = seeing(authorizer)
    assert await eyes.sight(DORA, CLUSTER) == Sight(frozenset({"llm", "secret"}), unsure=True)


async def test_what_it_said_before_is_believed_for_a_quarter_of_an_hour() -> None:
    authorizer = Authorizer("llm")
    eyes, clock = seeing(authorizer)
    before = await eyes.sight(DORA, CLUSTER)
    authorizer.away = True
    clock.at += BELIEVED_SECONDS - 1
    assert await eyes.sight(DORA, CLUSTER) == before
    clock.at += 2
    assert (await eyes.sight(DORA, CLUSTER)).unsure
