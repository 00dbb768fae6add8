"""What each source says of itself: servers by their last word, agents by their pool, Slack and the store by asking."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.acting.blindness import SLACK, STORE, Limits
from bot.app.ears import Ears
from bot.domain.errors import UpstreamError
from bot.domain.source import Reading, Source
from tests.factories import NOW, a_cluster, a_node


@dataclass
class World:
    now: datetime = NOW
    slack: str = ""
    store: str = ""
    agents: dict[str, datetime] = field(default_factory=dict)

    def ears(self) -> Ears:
        nodes = (a_node("gpu-1", labels={"pool": "h200"}), a_node("gpu-2", labels={"pool": "h200"}), a_node("gpu-3"))
        cluster = a_cluster(*nodes)
        cluster.inventory.refresh()
        self.view = cluster.view
        for kind in ("nodes", "pods"):
            self.view.sources[kind] = Source(kind, Reading.READ, NOW - timedelta(seconds=5))
        return Ears({"prod": cluster}, Limits(), self._slack, self._store, lambda name: self.agents, lambda: self.now)

    async def _slack(self) -> str:
        return self.slack

    async def _store(self) -> None:
        if self.store:
            raise UpstreamError(self.store, retryable=True)


async def heard(ears: Ears) -> dict[str, tuple[datetime | None, str]]:
    return {one.source: (one.at, one.why) for one in await ears.heard()}


async def test_all_is_heard() -> None:
    found = await heard(World().ears())
    assert found == {
        "the API server of prod": (NOW - timedelta(seconds=5), ""),
        SLACK: (NOW, ""),
        STORE: (NOW, ""),
    }


async def test_what_does_not_answer_was_heard_when_it_last_did() -> None:
    world = World()
    ears = world.ears()
    await heard(ears)
    world.now, world.slack, world.store = NOW + timedelta(minutes=2), "no connection", "the disk is full"
    found = await heard(ears)
    assert found[SLACK] == (NOW, "no connection")
    assert found[STORE] == (NOW, "the disk is full")


async def test_a_server_is_as_old_as_the_older_of_nodes_and_pods() -> None:
    world = World()
    ears = world.ears()
    world.view.sources["pods"] = Source("pods", Reading.STALE, NOW - timedelta(minutes=9), "connection refused")
    assert (await heard(ears))["the API server of prod"] == (NOW - timedelta(minutes=9), "connection refused")
    world.view.sources["pods"] = Source("pods", Reading.UNREAD)
    assert (await heard(ears))["the API server of prod"] == (None, "")


async def test_a_pool_is_heard_as_long_as_one_of_its_agents_is() -> None:
    world = World(agents={"gpu-1": NOW - timedelta(hours=1), "gpu-2": NOW, "gpu-3": NOW - timedelta(hours=1)})
    found = await heard(world.ears())
    assert found["the agents of prod, pool h200"][0] == NOW
    assert found["the agents of prod"][0] == NOW - timedelta(hours=1)
