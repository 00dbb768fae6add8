"""Measurements are kept for comparison: the newest of that workload and cluster, the last few of each."""

from datetime import timedelta

from sqlalchemy import func, select

from bot.adapters.store.benches import KEPT, Benches
from bot.adapters.store.tables_benches import benches
from bot.domain.bench import Bench, Point
from tests.adapters.store.conftest import Opener
from tests.factories import NOW


def bench(hours: int = 0, *, cluster: str = "prod", workload: str = "deployment/llm/glm", tokens: int = 100) -> Bench:
    point = Point(concurrency=4, requests=8, seconds=2.0, tokens=tokens, first_token=(0.1, 0.2), whole=(1.0, 1.5))
    at = NOW + timedelta(hours=hours)
    return Bench(cluster=cluster, workload=workload, model="glm", pod="glm-0", at=at, by="U1", points=(point,))


async def test_the_newest_of_that_workload_is_read_back_as_it_was(opened: Opener) -> None:
    kept = Benches(await opened())
    for one in (bench(2, tokens=3), bench(1), bench(9, workload="deployment/llm/bge"), bench(9, cluster="dev")):
        await kept.keep(one)
    assert await kept.last("prod", "deployment/llm/glm") == bench(2, tokens=3)
    assert await kept.last("prod", "deployment/llm/none") is None


async def test_it_is_there_after_a_restart(opened: Opener) -> None:
    await Benches(await opened()).keep(bench())
    assert await Benches(await opened()).last("prod", "deployment/llm/glm") == bench()


async def test_only_the_last_few_of_each_workload_stay(opened: Opener) -> None:
    store = await opened()
    kept = Benches(store)
    await kept.keep(bench(workload="deployment/llm/bge"))
    for hour in range(KEPT + 5):
        await kept.keep(bench(hour))
    async with store.snapshot() as connection:
        rows = (await connection.execute(select(benches.c.workload, func.count()).group_by(benches.c.workload))).all()
    assert dict(map(tuple, rows)) == {"deployment/llm/glm": KEPT, "deployment/llm/bge": 1}


async def test_a_form_that_nobody_reads_any_more_is_none(opened: Opener) -> None:
    store = await opened()
    kept = Benches(store)
    await kept.keep(bench())
    async with store.transaction() as connection:
        await connection.execute(benches.update().values(body='{"an": "older form"}'))
    assert await kept.last("prod", "deployment/llm/glm") is None
