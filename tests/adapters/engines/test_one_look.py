"""One look at an engine's metrics, for a question or a sweep in a terminal: where the engine listens, not an exporter."""

from bot.adapters.cluster.connection import plain
from bot.adapters.engines.access import EngineAccess
from bot.adapters.nodes.access import NodeAccess
from bot.adapters.nodes.reader import NodeReader
from bot.adapters.nodes.told import Told
from bot.domain.evidence import MetricsRef
from bot.serving.engine_pods import Hint
from tests.adapters.engines.fakes import FakeEngine, add, page
from tests.adapters.nodes.fakes import NOW, FakeCluster

REF = MetricsRef("llm", "glm-0")


async def look(cluster: FakeCluster, engines: EngineAccess | None = None) -> Told:
    async with plain(cluster.url) as connection:
        access = engines or EngineAccess()
        return await NodeReader(connection, cluster.view, NodeAccess(), access, now=lambda: NOW).read(REF, 5)


async def test_it_is_asked_where_its_arguments_say(around: tuple[FakeCluster, FakeEngine]) -> None:
    cluster, engine = around
    assert await look(cluster) == Told(page())
    assert engine.paths == ["/metrics"]


async def test_settings_hold_here_too(around: tuple[FakeCluster, FakeEngine]) -> None:
    cluster, engine = around
    add(cluster, "glm-0", 1, image="ours:7", command=["./serve"], labels={"app": "ours"})
    hint = Hint({"app": "ours"}, port=engine.port, path="/stats")
    assert (await look(cluster, EngineAccess(hints=(hint,)))).data == page()
    assert engine.paths == ["/stats"]


async def test_one_that_is_not_there_any_more(around: tuple[FakeCluster, FakeEngine]) -> None:
    cluster, _ = around
    cluster.pods.clear()
    assert (await look(cluster)).trouble == "it is not there any more"
