"""The whole way on a cluster of this machine: real watches, real writes, a real record; only people and posts are not."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.acting.changing.ground import Ground, Site
from bot.acting.changing.service import Changing
from bot.adapters.cluster.cache import WatchCache
from bot.adapters.cluster.connection import from_kubeconfig
from bot.adapters.cluster.looker import ClusterLooker
from bot.adapters.cluster.writer import ClusterWriter
from bot.adapters.store import Store
from bot.adapters.store.changes import Changes
from bot.changes.collect import change_kinds
from bot.domain.change import Change, ChangeState, Plan, Step, Verb
from bot.domain.person import Identity
from bot.domain.posting import Post
from bot.domain.view import View
from bot.domain.writing import Done
from bot.gpu.inventory import Inventory
from bot.local.cluster.local import LocalCluster
from bot.local.cluster.store import RESOURCES
from tests.access.building import ANA, BEN, CHEN, RULES, a_person
from tests.acting.building import FakePosts
from tests.factories import POLICY

SPEED = 30.0
LONGEST_SECONDS = 40.0


class PacedWriter(ClusterWriter):
    """What it creates ends by itself: the simulated kubelets run no programs, and know nothing of nvidia-smi."""

    async def do(self, step: Step, *, dry_run: bool, as_: Identity | None = None) -> Done:
        if step.verb is Verb.CREATE:
            metadata = {**step.body["metadata"], "annotations": {"gpubot.dev/sim-run-seconds": "5"}}
            step = msgspec.structs.replace(step, body={**step.body, "metadata": metadata})
        return await super().do(step, dry_run=dry_run, as_=as_)


@dataclass
class Place:
    """A local cluster with the bot's own way into it."""

    local: LocalCluster
    view: View
    changing: Changing
    store: Changes
    posts: FakePosts

    def node(self, name: str) -> dict[str, Any]:
        return self.local.store.get(RESOURCES["", "nodes"], "", name)

    def pods_on(self, name: str) -> Iterator[str]:
        for pod in self.local.store.list(RESOURCES["", "pods"]):
            owners = [one["kind"] for one in pod["metadata"].get("ownerReferences", ())]
            if pod["spec"].get("nodeName") == name and "DaemonSet" not in owners:
                yield pod["metadata"]["name"]

    async def done(self, change_kind: str, approvers: tuple[str, ...], **arguments: str) -> Change:
        plan = Plan(kind=change_kind, arguments=arguments, title="", because="a test")
        answer = await self.changing.propose(plan, a_person(ANA), "local")
        changes = await self.changes()
        assert changes, answer.verdict
        number = changes[-1].number
        for who in approvers:
            await self.changing.click(await self._nonce(number), "yes", a_person(who))
        return await self.settled(number)

    async def undone(self, number: int) -> Change:
        await self.changing.click(await self._nonce(number), "undo", a_person(BEN))
        return await self.settled(number)

    async def settled(self, number: int) -> Change:
        async with asyncio.timeout(LONGEST_SECONDS):
            await self.changing.settled()
        change = await self.store.get(number)
        assert change is not None
        return change

    async def changes(self) -> tuple[Change, ...]:
        return await self.store.recent("local", datetime(2000, 1, 1, tzinfo=UTC))

    async def _nonce(self, number: int) -> str:
        change = await self.store.get(number)
        assert change is not None
        return change.nonce


@asynccontextmanager
async def a_place(local: LocalCluster, file: Path) -> AsyncIterator[Place]:
    connection = await from_kubeconfig(str(local.kubeconfig_path), None)
    database = await Store.open(f"sqlite+aiosqlite:///{file}")
    posts = FakePosts()

    async def put_in(transaction: AsyncConnection, told: Sequence[Post], at: datetime) -> None:
        del transaction
        await posts.put(told, at)

    def now() -> datetime:
        return datetime.now(UTC)

    cache = WatchCache("local", connection, now=now)
    await cache.start()
    try:
        await cache.synced(20)
        store = Changes(database, put_in)
        site = Site(
            "local",
            cache.view,
            Inventory(cache.view, POLICY),
            PacedWriter(connection),
            ClusterLooker(connection),
        )

        async def people(person: str, workspace: str, channel: str) -> Any:
            del workspace, channel
            return a_person(person)

        ground = Ground(
            sites={"local": site},
            store=store,
            posts=posts,
            kinds=change_kinds(),
            rules=lambda: RULES,
            people=people,
            now=now,
            sleep=lambda seconds: asyncio.sleep(min(seconds, 0.05)),
        )
        changing = Changing(ground)
        yield Place(local, cache.view, changing, store, posts)
        await changing.stop()
    finally:
        await cache.stop()
        await connection.close()
        await database.close()


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    local = LocalCluster(speed=SPEED)
    await local.start()
    try:
        async with a_place(local, tmp_path / "changes.db") as made:
            yield made
    finally:
        await local.stop()


async def test_cordon_and_undo(place: Place) -> None:
    change = await place.done("cordon", (ANA,), node="gpu-1")
    assert (change.state, change.told) == (ChangeState.APPLIED, "gpu-1 is cordoned.")
    assert len(change.audit_ids) == 1, "the API server's own audit id is kept"
    assert place.node("gpu-1")["spec"]["unschedulable"] is True
    assert place.node("gpu-1")["metadata"]["annotations"]["gpubot.dev/cordoned-because"] == "a test"
    assert place.view.nodes["gpu-1"].cordoned_by == "gpubot"
    change = await place.undone(change.number)
    assert change.state is ChangeState.UNDONE
    assert not place.node("gpu-1")["spec"].get("unschedulable")
    assert "gpubot.dev/cordoned-because" not in place.node("gpu-1")["metadata"].get("annotations", {})


async def test_a_cordon_of_ours_may_be_taken_away_and_that_of_others_not(place: Place) -> None:
    await place.done("cordon", (ANA,), node="gpu-1")
    change = await place.done("uncordon", (ANA,), node="gpu-1")
    assert change.state is ChangeState.APPLIED
    before = await place.changes()
    await place.changing.propose(Plan(kind="uncordon", arguments={"node": "gpu-7"}, title=""), a_person(ANA), "local")
    assert await place.changes() == before
    assert place.node("gpu-7")["spec"]["unschedulable"] is True


async def test_a_drain_goes_as_far_as_budgets_allow_and_leaves_daemonsets(place: Place) -> None:
    assert list(place.pods_on("gpu-10")) != []
    change = await place.done("drain", (BEN, CHEN), node="gpu-10", confirm="gpu-10")
    assert change.state is ChangeState.APPLIED, change.told
    assert list(place.pods_on("gpu-10")) == []
    assert place.node("gpu-10")["spec"]["unschedulable"] is True


async def test_restarting_a_deployment(place: Place) -> None:
    before = {pod["metadata"]["uid"] for pod in place.local.store.list(RESOURCES["", "pods"], "ops")}
    at = "2026-11-30T12:00:00Z"
    change = await place.done("restart", (BEN,), kind="Deployment", namespace="ops", name="grafana", at=at)
    assert change.state is ChangeState.APPLIED, change.told
    assert change.told == "deployment/grafana runs anew: 1 of 1 pods serve."
    pods = [
        pod
        for pod in place.local.store.list(RESOURCES["", "pods"], "ops")
        if pod["metadata"]["name"].startswith("grafana") and "deletionTimestamp" not in pod["metadata"]
    ]
    assert [pod["metadata"]["uid"] in before for pod in pods] == [False]


async def test_deleting_a_plugins_pod_brings_its_successor(place: Place) -> None:
    [pod] = [one for one in place.view.on_node("gpu-2") if one.name.startswith("nvidia-device-plugin")]
    change = await place.done("delete", (BEN,), namespace=pod.namespace, name=pod.name, uid=pod.uid)
    assert change.state is ChangeState.APPLIED, change.told
    assert place.view.pods.get(pod.key) is None


async def test_verifying_a_node_leaves_nothing_behind(place: Place) -> None:
    node = next(
        name
        for name in sorted(place.view.nodes)
        if name.startswith("gpu-")
        and place.view.nodes[name].allocatable.get("nvidia.com/gpu", 0)
        > place.view.requested_on(name).get("nvidia.com/gpu", 0)
        and place.view.nodes[name].ready
    )
    arguments = {"node": node, "pod": "gpu-verify-x", "namespace": "default"}
    change = await place.done("gpu-verify", (ANA,), **arguments)
    names = [pod["metadata"]["name"] for pod in place.local.store.list(RESOURCES["", "pods"], "default")]
    assert "gpu-verify-x" not in names
    assert (change.state, change.told) == (ChangeState.APPLIED, f"{node} runs a pod with a GPU.")
    assert len(change.audit_ids) == 1
    assert (await place.store.verify()).broken is None
    assert "it ended with 0" in place.posts.standing["change/local/1/end"].text
