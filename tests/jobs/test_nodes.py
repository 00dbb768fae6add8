"""Nodes are remembered as they change, and the checklist is run by itself for those that join or change."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec

from bot.acting.preflighting import Preflighted
from bot.checks.preflight.kept import Kept, Preflights
from bot.checks.preflight.report import Verdict
from bot.command import Cluster
from bot.dialogue import all_commands, answer, understand
from bot.domain.alert_rules import AlertRules, Route
from bot.domain.errors import UpstreamError
from bot.domain.evidence import Evidence, Wanted
from bot.domain.node import Condition, Node
from bot.domain.pod import Container
from bot.domain.posting import Post
from bot.jobs import forgetting, node_versions, preflighting
from bot.jobs.job import Services
from bot.jobs.schedule import all_jobs
from tests.checks.building import agent, gpu, known
from tests.factories import NOW, a_cluster, a_node, a_pod, put
from tests.fakes_nodes import NodeMemory
from tests.jobs.test_reasons import Memory

MINUTE = timedelta(minutes=1)
QUIET = f"daily {NOW - timedelta(hours=2):%H:%M}-{NOW + timedelta(hours=2):%H:%M} UTC"
LONG_READY = Condition("Ready", "True", since=(NOW - timedelta(days=9)).isoformat())


class Agents:
    """A looker that has readings of some nodes, and counts who was asked for."""

    def __init__(self, **readings: str) -> None:
        self.readings = {name.replace("_", "-"): text for name, text in readings.items()}
        self.asked: list[str] = []

    async def look(self, wanted: Wanted, timeout_seconds: float) -> Evidence:
        names = [ref.node for ref in wanted.refs if getattr(ref, "what", "") == "agent"]  # type: ignore[union-attr]
        self.asked += names
        refs = {ref: self.readings[ref.node] for ref in wanted.refs if getattr(ref, "node", "") in self.readings}  # type: ignore[union-attr]
        return Evidence(texts={ref: text for ref, text in refs.items() if ref.what == "agent"})  # type: ignore[union-attr]


class Bot:
    """The jobs over one cluster, at a time that a test moves."""

    def __init__(self, *records: Any, looker: Agents | None = None) -> None:
        self.memory = NodeMemory()
        made = a_cluster(*records)
        known(made.view)
        self.cluster: Cluster = replace(made, looker=looker, past=self.memory)
        self.at = NOW
        self.heard: list[Kept] = []
        self.preflights = Preflights(NOW - MINUTE)

    def services(self) -> Services:
        async def hear(kept: Kept) -> None:
            self.heard.append(kept)

        return Services(
            {"test": self.cluster}, Memory(), lambda: self.at, 90, self.memory, self.preflights, preflighted=hear
        )

    async def minute(self, *records: Any, minutes: int = 1) -> None:
        """So many minutes later, with these records changed, both jobs have run."""
        self.at += MINUTE * minutes
        for record in records:
            put(self.cluster.view, record)
        self.cluster.inventory.refresh()
        await node_versions.run(self.services())
        await preflighting.run(self.services())

    def drivers(self, node: str = "gpu-1") -> list[str]:
        past = self.memory.past("test").of(node)
        return [one.value for one in past.parts.get("driver", ())] if past else []


def node(name: str = "gpu-1", driver: str = "580.95.05", kubelet: str = "v1.36.3", **changed: Any) -> Node:
    labels = {"nvidia.com/cuda.driver-version.full": driver, "nvidia.com/cuda.runtime-version.full": "13.0"}
    return a_node(name, more_labels=labels, kubelet_version=kubelet, **({"conditions": (LONG_READY,)} | changed))


def whys(bot: Bot) -> list[tuple[str, str]]:
    return [(one.due.node, one.due.why) for one in bot.heard]


async def test_a_driver_that_changes_is_remembered() -> None:
    bot = Bot(node())
    await bot.minute()
    await bot.minute(node(driver="570.172.08"))
    assert bot.drivers() == ["580.95.05", "570.172.08"]


async def test_agents_are_asked_every_fifth_minute_and_believed() -> None:
    agents = Agents(gpu_1=agent([gpu(0)], driverVersion="590.48.01"))
    bot = Bot(node(), looker=agents)
    await node_versions.run(bot.services())
    assert (agents.asked, bot.drivers()) == (["gpu-1"], ["590.48.01"])
    bot.at += MINUTE
    await node_versions.run(bot.services())
    assert (agents.asked, bot.drivers()) == (["gpu-1"], ["590.48.01"])


async def test_a_reading_with_trouble_or_of_long_ago_is_not_believed() -> None:
    old = agent([gpu(0)], driverVersion="570.172.08", ago=900)
    odd = agent([gpu(0)], driverVersion="570.172.08", trouble="NVML does not answer")
    bot = Bot(node(), node("gpu-2"), looker=Agents(gpu_1=old, gpu_2=odd))
    await node_versions.run(bot.services())
    assert (bot.drivers("gpu-1"), bot.drivers("gpu-2")) == (["580.95.05"], ["580.95.05"])


async def test_where_nodes_were_not_read_nothing_is_concluded() -> None:
    bot = Bot()
    bot.cluster.view.sources.clear()
    await bot.minute()
    assert bot.memory.kept == {}


async def test_what_was_there_when_remembering_began_is_not_checked() -> None:
    bot = Bot(node())
    await bot.minute()
    await bot.minute()
    assert bot.heard == []


async def test_a_node_that_joins_is_checked_once() -> None:
    bot = Bot(node())
    await bot.minute()
    await bot.minute(node("gpu-2"))
    await bot.minute()
    assert whys(bot) == [("gpu-2", "joined")]
    assert bot.heard[0].report.name == "gpu-2"
    assert bot.preflights.last("test", "gpu-2") is bot.heard[0]


async def test_a_node_that_joined_while_the_bot_was_away_is_checked() -> None:
    before = Bot(node())
    await before.minute()
    bot = Bot(node(), node("gpu-2"))
    bot.memory.kept = before.memory.kept
    await bot.minute(minutes=60)
    assert whys(bot) == [("gpu-2", "joined")]


async def test_a_restart_checks_nothing_again() -> None:
    bot = Bot(node())
    await bot.minute()
    await bot.minute(node("gpu-2"))
    bot.preflights, bot.heard = Preflights(bot.at), []
    await bot.minute()
    assert bot.heard == []


async def test_a_driver_and_a_kubelet_that_change_are_checked_with_both_versions() -> None:
    bot = Bot(node())
    await bot.minute()
    await bot.minute(node(driver="590.48.01"))
    await bot.minute(node(driver="590.48.01", kubelet="v1.37.0"))
    assert whys(bot) == [
        ("gpu-1", "runs driver 590.48.01 (was 580.95.05)"),
        ("gpu-1", "runs kubelet v1.37.0 (was v1.36.3)"),
    ]


async def test_a_plugin_that_changes_is_checked() -> None:
    def plugin(tag: str) -> Any:
        labels = {"app": "nvidia-device-plugin-daemonset"}
        pod = a_pod("plugin", namespace="gpu-operator", gpus=0, labels=labels)
        image = f"nvcr.io/nvidia/k8s-device-plugin:{tag}"
        return msgspec.structs.replace(pod, containers=(Container("plugin", image),))

    bot = Bot(node(), plugin("v0.20.0"))
    await bot.minute()
    await bot.minute(plugin("v0.17.4"))
    assert whys(bot) == [("gpu-1", "runs plugin v0.17.4 (was v0.20.0)")]


async def test_a_node_that_still_comes_up_is_judged_when_it_has_settled() -> None:
    labels = {"nvidia.com/gpu-driver-upgrade-state": "validation-required"}
    bot = Bot(node())
    await bot.minute()
    upgraded = node("gpu-2")
    await bot.minute(msgspec.structs.replace(upgraded, labels={**upgraded.labels, **labels}))
    await bot.minute()
    assert bot.heard == [], "its stack is on its way"
    await bot.minute(upgraded)
    assert whys(bot) == [("gpu-2", "joined")]


async def test_a_node_that_does_not_settle_is_told_after_half_an_hour() -> None:
    bot = Bot(node())
    await bot.minute()
    stuck = node("gpu-2")
    labels = {**stuck.labels, "nvidia.com/gpu-driver-upgrade-state": "validation-required"}
    await bot.minute(msgspec.structs.replace(stuck, labels=labels))
    await bot.minute(minutes=29)
    assert bot.heard == []
    await bot.minute(minutes=2)
    assert whys(bot) == [("gpu-2", "joined")]
    assert bot.heard[0].report.verdict is not Verdict.NOT_READY


async def test_nodes_that_are_gone_leave_nothing_behind() -> None:
    bot = Bot(node())
    await bot.minute()
    await bot.minute(node("gpu-2"))
    bot.cluster.view.take("nodes", "gpu-2")
    await bot.minute()
    assert bot.preflights.last("test", "gpu-2") is None


async def test_the_step_back_reaches_the_report() -> None:
    bot = Bot(node())
    await bot.minute()
    await bot.minute(node(driver="570.172.08"))
    [kept] = bot.heard
    cuda = next(one for one in kept.report.points if "driver" in one.sentence and one.reason == "driver.stepped_back")
    assert "driver went back from 580.95.05" in cuda.sentence


async def test_no_step_holds_up_answers_for_50_ms() -> None:
    """A thousand nodes, one of which joins. CPU time counts: what others on the machine do is not ours."""
    nodes = [node(f"n-{number}") for number in range(1_000)]
    bot = Bot(*nodes, *(a_pod(f"p-{at}", node=f"n-{at % 1000}") for at in range(8_000)))
    await bot.minute()
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            begun = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - begun)

    watching = asyncio.create_task(watch())
    put(bot.cluster.view, node("gpu-new"))
    bot.at += MINUTE
    bot.cluster.inventory.refresh()
    await node_versions.run(bot.services())
    await preflighting.run(bot.services())
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert whys(bot) == [("gpu-new", "joined")]
    assert longest < 0.05


async def test_old_nodes_are_forgotten_with_the_rest() -> None:
    bot = Bot(node())
    await forgetting.run(bot.services())
    assert bot.memory.pruned == [90]


async def test_without_a_memory_of_nodes_there_is_nothing_to_do() -> None:
    services = replace(Bot(node()).services(), nodes=None)
    await node_versions.run(services)
    await preflighting.run(services)


def test_both_are_found() -> None:
    assert {"node_versions", "preflighting"} <= {job.name for job in all_jobs()}


class Saying:
    """Posts that are recorded; `away`: the record cannot be used."""

    def __init__(self) -> None:
        self.posts: list[Post] = []
        self.away = False

    async def put(self, posts: Sequence[Post], now: datetime) -> None:
        if self.away:
            raise UpstreamError("the database does not answer", retryable=True)
        self.posts += posts


class TellingBot(Bot):
    """What the jobs find is told in Slack. `rules` send it to one channel."""

    rules = AlertRules(routes=(Route(channel="C1", severities=("warning",)), Route(channel="C2")))

    def __init__(self, *records: Any) -> None:
        super().__init__(*records)
        self.saying = Saying()

    def services(self) -> Services:
        return replace(super().services(), preflighted=Preflighted(self.saying, self.rules, lambda: self.at))


def without_gpus(name: str = "gpu-2") -> Node:
    return msgspec.structs.replace(node(name), allocatable={"cpu": 64_000, "memory": 2**40, "pods": 110})


async def test_a_node_that_joins_and_fails_the_checklist_is_told_with_what_is_wrong_and_what_helps() -> None:
    bot = TellingBot(node())
    await bot.minute()
    await bot.minute(without_gpus())
    [post] = bot.saying.posts
    assert post.channel == "C1"
    assert "gpu-2 (test) joined and is not ready for work" in post.text
    assert "What helps" in json.dumps(post.blocks)


async def test_a_node_that_joins_and_passes_is_not_told() -> None:
    bot = TellingBot(node())
    await bot.minute()
    await bot.minute(node("gpu-2"))
    assert bot.saying.posts == []
    assert bot.preflights.last("test", "gpu-2") is not None


async def test_what_could_not_be_recorded_is_told_in_the_next_minute() -> None:
    bot = TellingBot(node())
    await bot.minute()
    bot.saying.away = True
    await bot.minute(without_gpus())
    bot.saying.away = False
    await bot.minute()
    await bot.minute()
    assert len(bot.saying.posts) == 1


async def test_in_quiet_hours_nothing_is_said_of_it() -> None:
    bot = TellingBot(node())
    bot.rules = AlertRules(routes=(Route(channel="C1", quiet=(QUIET,)),))
    await bot.minute()
    await bot.minute(without_gpus())
    assert bot.saying.posts == []


async def test_the_answer_about_the_node_says_how_the_checklist_ended() -> None:
    bot = TellingBot(node())
    await bot.minute()
    await bot.minute(without_gpus())
    asked = understand("node gpu-2", all_commands())
    cluster = replace(bot.cluster, preflights=bot.preflights)
    told = await answer(asked, {"test": cluster}, "test", lambda: bot.at, all_commands())
    assert "since it joined: not ready" in " ".join(told.document.footer)
