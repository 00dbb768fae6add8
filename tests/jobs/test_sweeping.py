"""The sweep by the clock: it looks, decides, keeps and tells; it does not overlap itself, nor hide its own failures."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.acting.incidents.sweeper import Sweeper
from bot.command import Cluster
from bot.domain.errors import UsageError
from bot.domain.evidence import Evidence, NodeRef, Wanted
from bot.domain.node import Condition
from bot.gpu.inventory import Inventory
from bot.jobs import sweeping
from bot.jobs.job import Services
from bot.sweep.snapshot import snapshot
from tests.alerts.building import RULES
from tests.factories import NOW, POLICY, a_node, a_pod
from tests.fakes.incidents import MemoryIncidents
from tests.sweep.building import a_cluster_of, ids, swept
from tests.why.builders_owners import ago

DOWN = a_node("gpu-9", conditions=(Condition("Ready", "Unknown", since=ago(minutes=14)),))


class Eyes:
    """A Looker that tells nothing, and counts how many look at once."""

    def __init__(self, *, raises: bool = False) -> None:
        self.asked: list[Wanted] = []
        self.at_once = self.most = 0
        self._raises = raises

    async def look(self, wanted: Wanted, timeout_seconds: float) -> Evidence:
        if self._raises:
            raise ZeroDivisionError
        self.asked.append(wanted)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        return Evidence(missing=dict.fromkeys(wanted.refs, "timed out"))


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=15)
        return self.now


def a_service(*records: Any, eyes: Eyes | None = None) -> tuple[Services, MemoryIncidents, Sweeper]:
    view = a_cluster_of(*records)
    cluster = Cluster("prod", view, Inventory(view, POLICY), looker=eyes or Eyes())
    store, clock = MemoryIncidents(), Clock()
    sweeper = Sweeper(store, RULES, clock)
    services = Services({"prod": cluster}, None, clock, 90, sweeper=sweeper)  # type: ignore[arg-type]  # no history
    return services, store, sweeper


async def test_what_it_finds_is_told_in_a_thread() -> None:
    services, store, _ = a_service(DOWN, a_pod("glm-0", node="gpu-9"))
    await sweeping.run(services)
    await sweeping.run(services)
    assert [post.key for post in store.posts] == ["incident/prod/1", "incident/prod/1/evidence"]
    assert "gpu-9 does not answer" in store.posts[0].text


async def test_it_asks_for_everything_a_sweep_wants() -> None:
    eyes = Eyes()
    services, _, _ = a_service(a_node("gpu-1"), eyes=eyes)
    await sweeping.run(services)
    assert NodeRef("agent", "gpu-1") in eyes.asked[0].refs


async def test_it_never_looks_twice_at_once() -> None:
    eyes = Eyes()
    services, _, sweeper = a_service(DOWN, eyes=eyes)
    await asyncio.gather(*(sweeper.watch(services.clusters["prod"]) for _ in range(3)))
    assert (eyes.most, len(eyes.asked)) == (1, 3)


async def test_one_that_takes_long_delays_no_other_and_is_not_begun_again() -> None:
    services, store, sweeper = a_service(DOWN)
    forever = asyncio.Event()
    task = sweeper.begin("slow", _wait(forever))
    assert not sweeper.due("slow")
    await sweeping.run(services)
    assert len(store.incidents("prod").alerts.alerts) == 1
    await sweeper.close()
    assert task.cancelled()
    assert sweeper.due("slow")


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


async def test_before_anything_was_read_there_is_nothing_to_judge() -> None:
    services, store, _ = a_service(DOWN)
    services.clusters["prod"].view.sources.clear()
    await sweeping.run(services)
    assert store.incidents("prod").alerts.alerts == {}


async def test_a_sweep_that_fails_is_an_incident_and_resolves_nothing() -> None:
    services, store, _ = a_service(DOWN)
    await sweeping.run(services)
    await sweeping.run(services)
    broken = Cluster("prod", a_cluster_of(), Inventory(a_cluster_of(), POLICY), looker=Eyes(raises=True))
    wrong = Services({"prod": broken}, services.memory, services.now, 90, sweeper=services.sweeper)
    broken.view.put("nodes", "gpu-1", a_node("gpu-1"))
    for _ in range(6):
        await sweeping.run(wrong)
    titles = [one.content.title for one in store.incidents("prod").alive()]
    assert len(titles) == 2
    assert titles[1] == "The sweep of prod failed: ZeroDivisionError; nothing is watched"


async def test_alertmanager_comes_in_on_the_same_way() -> None:
    services, store, sweeper = a_service(a_node("gpu-1"))
    alert = {"status": "firing", "labels": {"alertname": "X", "severity": "critical", "node": "gpu-1"}}
    told = await sweeper.heard(services.clusters["prod"], {"version": "4", "alerts": [alert]})
    assert len(told.bundles) == 1
    assert [one.content.cause for one in store.incidents("prod").alive()] == ["alertmanager.X"]
    with pytest.raises(UsageError):
        await sweeper.heard(services.clusters["prod"], {"version": "3"})


def test_a_snapshot_is_judged_like_the_view_and_does_not_follow_it() -> None:
    view = a_cluster_of(
        DOWN, a_node("gpu-1"), a_pod("glm-0", node="gpu-9"), a_pod("glm-1", node="", created=ago(hours=1))
    )
    copied = snapshot(view)
    before = swept(view)
    assert ids(swept(copied)) == ids(before)
    view.take("nodes", "gpu-9")
    view.take("pods", "llm/glm-0")
    assert ids(swept(copied)) == ids(before)
    assert (copied.waiting, copied.inhabited, set(copied.nodes)) == (view.waiting, {"llm": 2}, {"gpu-9", "gpu-1"})
