"""Engines by the clock: one that hangs is told soon after a minute of silence, and never before."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from bot.acting.incidents.sweeper import Sweeper
from bot.adapters.engines.keeper import EngineKeeper
from bot.command import Cluster
from bot.domain.engine_told import Said
from bot.domain.pod import Pod
from bot.gpu.inventory import Inventory
from bot.jobs import reading_engines, sweeping
from bot.jobs.job import Services
from tests.alerts.building import RULES
from tests.checks.engines import an_engine, reading
from tests.factories import NOW, POLICY, a_node
from tests.fakes.incidents import MemoryIncidents
from tests.sweep.building import a_cluster_of

TICK_SECONDS = 5


class Hanging:
    """Makes tokens until it hangs, and has requests all the time."""

    def __init__(self, hangs_at: datetime) -> None:
        self.at, self.hangs_at = NOW, hangs_at

    def now(self) -> datetime:
        return self.at

    async def read(self, pods: Sequence[Pod]) -> Mapping[str, Said]:
        step = int((min(self.at, self.hangs_at) - NOW).total_seconds())
        return {pod.uid: reading(step, taken_at=self.at) for pod in pods}


async def told_after(engine: Hanging, seconds: int) -> float | None:
    """Seconds from the hang until an incident stands in Slack."""
    view = a_cluster_of(a_node("gpu-1"), an_engine())
    keeper = EngineKeeper(engine.now)
    keeper.add("prod", view, engine)
    cluster = Cluster("prod", view, Inventory(view, POLICY), engines=keeper)
    store = MemoryIncidents()
    sweeper = Sweeper(store, RULES, engine.now, engines=keeper, tokens=keeper.tokens)
    services = Services({"prod": cluster}, None, engine.now, 90, sweeper=sweeper, engines=keeper)  # type: ignore[arg-type]  # no history
    for _ in range(0, seconds, TICK_SECONDS):
        await reading_engines.run(services)
        await sweeping.run(services)
        if store.posts:
            assert "llm/glm-0 hangs" in store.posts[0].text
            return (engine.at - engine.hangs_at).total_seconds()
        engine.at += timedelta(seconds=TICK_SECONDS)
    return None


async def test_one_that_hangs_is_told_within_a_minute_after_its_minute_of_silence() -> None:
    for offset in range(200, 230, 5):
        took = await told_after(Hanging(NOW + timedelta(seconds=offset)), 600)
        assert took is not None
        assert 60 <= took <= 135


async def test_one_that_works_is_never_told() -> None:
    assert await told_after(Hanging(NOW + timedelta(days=1)), 600) is None
