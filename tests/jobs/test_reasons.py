"""The sweep that remembers why pods wait: reasons as they change, starts, ends; nothing where the cluster is unknown."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from bot.domain.history import Change, History, Observation
from bot.domain.node import Condition
from bot.domain.pod_spec import PodSpec
from bot.domain.source import Reading, Source
from bot.jobs import forgetting, reasons
from bot.jobs.job import Services
from bot.jobs.schedule import Schedule, all_jobs
from bot.scheduling.history import applied, changes
from tests.factories import NOW, a_cluster, a_node, a_pod, put

SAID = Condition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")


class Memory:
    """The history as the recorder keeps it, without a database."""

    def __init__(self) -> None:
        self.kept = History(cluster="test")
        self.pruned: list[int] = []

    def history(self, cluster: str) -> History:
        assert cluster == "test"
        return self.kept

    def observe(self, cluster: str, observations: Iterable[Observation], now: datetime) -> tuple[Change, ...]:
        found = changes(self.kept, tuple(observations), now)
        self.kept = applied(self.kept, found, now)
        return found

    async def prune(self, now: datetime, *, days: int, at_most: int) -> int:
        self.pruned.append(days)
        return 0


def services(cluster: object, memory: Memory, at: datetime) -> Services:
    return Services({"test": cluster}, memory, lambda: at, 90)  # type: ignore[dict-item]


async def test_a_reason_is_kept_when_it_changes_and_a_start_ends_the_wait() -> None:
    busy = a_pod("eval", gpus=5, uid="eval")
    waiting = a_pod("glm-0", node="", gpus=8, uid="glm", created=NOW.isoformat(), conditions=(SAID,))
    cluster = a_cluster(a_node(gpus=8), busy, waiting)
    memory = Memory()
    await reasons.run(services(cluster, memory, NOW))
    cluster.view.take("pods", busy.key)
    put(cluster.view, msgspec.structs.replace(cluster.view.nodes["gpu-1"], unschedulable=True))
    await reasons.run(services(cluster, memory, NOW + timedelta(minutes=10)))
    (wait,) = memory.kept.waits.values()
    assert [spell.reason_id for spell in wait.spells] == ["resources.used-up", "cordon"]
    put(cluster.view, msgspec.structs.replace(waiting, node="gpu-1", started=(NOW + timedelta(minutes=12)).isoformat()))
    await reasons.run(services(cluster, memory, NOW + timedelta(minutes=13)))
    (wait,) = memory.kept.waits.values()
    assert wait.started_at == NOW + timedelta(minutes=12)


async def test_pods_that_ask_alike_share_one_explanation() -> None:
    spec = PodSpec()
    pods = [
        a_pod(f"w-{index}", node="", gpus=8, uid=f"w-{index}", spec=spec, conditions=(SAID,)) for index in range(20)
    ]
    memory = Memory()
    await reasons.run(services(a_cluster(a_node(gpus=4), *pods), memory, NOW))
    assert {spell.reason_id for wait in memory.kept.waits.values() for spell in wait.spells} == {"resources.too-large"}
    assert len(memory.kept.waits) == 20


async def test_a_pod_that_is_gone_is_gone_and_one_that_could_not_be_seen_is_not() -> None:
    waiting = a_pod("glm-0", node="", gpus=8, uid="glm")
    cluster = a_cluster(a_node(gpus=4), waiting)
    memory = Memory()
    await reasons.run(services(cluster, memory, NOW))
    cluster.view.take("pods", waiting.key)
    cluster.view.sources["pods"] = Source("pods", Reading.SILENT)
    await reasons.run(services(cluster, memory, NOW + timedelta(minutes=1)))
    assert memory.kept.waits["glm"].gone_at is None
    cluster.view.sources["pods"] = Source("pods", Reading.LIVE)
    await reasons.run(services(cluster, memory, NOW + timedelta(minutes=2)))
    assert "glm" not in memory.kept.waits


async def test_history_is_forgotten_by_the_days_of_the_settings() -> None:
    memory = Memory()
    await forgetting.run(services(a_cluster(), memory, NOW))
    assert memory.pruned == [90]


async def test_the_schedule_knows_every_job_and_stops() -> None:
    assert {"forgetting", "reasons"} <= {job.name for job in all_jobs()}
    for job in all_jobs():
        assert job.page
        assert job.run.__module__ == f"bot.jobs.{job.name}"
    schedule = Schedule(services(a_cluster(), Memory(), NOW))
    schedule.start()
    await schedule.stop()
