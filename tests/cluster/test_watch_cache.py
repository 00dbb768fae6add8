"""The watch cache on the real API server: never empty, never wrong for long, and honest about what it cannot see."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import certifi
import pytest

from bot.adapters.cluster.cache import WatchCache
from bot.adapters.cluster.connection import from_kubeconfig
from bot.adapters.cluster.once import read_once
from bot.adapters.cluster.pace import Pace
from bot.cli.source import moment
from bot.domain.errors import ClusterError
from bot.domain.source import Reading
from bot.domain.view import View
from tests.cluster.api import Api
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.objects import gpu_node, gpu_pod
from tests.cluster.sandbox import Sandbox

KINDS = ("nodes", "pods")
PACE = Pace(first_backoff_seconds=0.05, longest_backoff_seconds=0.2, slow_seconds=0.2)
SEE_NODES = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "watch"]}]
BOTH = pytest.mark.parametrize("watch_list", [
    pytest.param(False, id="listed in pages"), pytest.param(True, id="streamed by WatchList"),
])  # fmt: skip


class Follower:
    """A cache, and whatever was seen of it at each of its changes."""

    def __init__(self, cache: WatchCache) -> None:
        self.cache = cache
        self.view = cache.view
        self.fewest: dict[str, int] = {}
        self.readings: list[Reading] = []
        self._changed = asyncio.Event()
        cache.on_change(self._look)

    def look_from_here(self) -> None:
        """Forget what was seen: `fewest` records of each kind, and how the reading of pods stood."""
        self.fewest.clear()
        self.readings.clear()
        self._look()

    def _look(self, _: str = "") -> None:
        for kind in KINDS:
            self.fewest[kind] = min(self.fewest.get(kind, 10**9), len(self.view.tables[kind]))
        reading = self.view.source("pods").reading
        if not self.readings or self.readings[-1] is not reading:
            self.readings.append(reading)
        self._changed.set()

    async def until(self, ready: Callable[[], bool], timeout_seconds: float = 30) -> None:
        """Until that is so; looked at again after each change, and from time to time, since a source has no event."""
        async with asyncio.timeout(timeout_seconds):
            while not ready():
                self._look()
                self._changed.clear()
                try:
                    async with asyncio.timeout(0.05):
                        await self._changed.wait()
                except TimeoutError:
                    continue
        self._look()

    async def live(self) -> None:
        await self.until(lambda: all(self.view.source(kind).reading is Reading.LIVE for kind in KINDS))


@asynccontextmanager
async def following(kubeconfig: Path, *, watch_list: bool = False) -> AsyncIterator[Follower]:
    async with await from_kubeconfig(str(kubeconfig)) as connection:
        cache = WatchCache("real", connection, now=moment, kinds=KINDS, watch_list=watch_list, pace=PACE)
        follower = Follower(cache)
        await cache.start()
        try:
            await cache.synced(30)
            yield follower
        finally:
            await cache.stop()


async def fresh(kubeconfig: Path) -> View:
    async with await from_kubeconfig(str(kubeconfig)) as connection:
        return await read_once("real", connection, now=moment, kinds=KINDS)


def picture(view: View) -> dict[str, Any]:
    """What answers are made from: versions of all records, and the indexes over them."""
    return {
        **{kind: {key: record.version for key, record in view.tables[kind].items()} for kind in KINDS},
        "requested": view.requested,
        "on nodes": {node: {pod.key for pod in pods} for node, pods in view.pods_by_node.items()},
        "waiting": {pod.key for pod in view.waiting},
    }


async def agree(follower: Follower, kubeconfig: Path) -> None:
    """The kept view becomes what a fresh list says, within half a minute."""
    await follower.live()
    deadline = time.monotonic() + 30
    while picture(follower.view) != (listed := picture(await fresh(kubeconfig))):
        if time.monotonic() > deadline:
            assert picture(follower.view) == listed
        await asyncio.sleep(0.1)


async def fill(cluster: Sandbox, pods: int = 40) -> list[str]:
    """Ten nodes and as many pods, three quarters of which find a place."""
    await cluster.add_nodes(*(gpu_node(f"node-{number}", gpus=3) for number in range(10)))
    names = [f"pod-{number}" for number in range(pods)]
    await cluster.add_pods(*(gpu_pod(name) for name in names))
    return names


async def change(cluster: Sandbox, names: list[str], label: str) -> None:
    """Every third pod goes, every third is labelled, and as many new ones come."""
    for number, name in enumerate(names):
        path = f"{cluster.pods_path}/{name}"
        if number % 3 == 0:
            await cluster.api.request("DELETE", path, {"gracePeriodSeconds": 0})
        elif number % 3 == 1:
            await cluster.api.request("PATCH", path, {"metadata": {"labels": {"team": label}}})
    await cluster.add_pods(*(gpu_pod(f"new-{label}-{number}") for number in range(len(names) // 3)))


@BOTH
async def test_the_view_follows_every_change(watch_list: bool, control_plane: ControlPlane, cluster: Sandbox) -> None:
    names = await fill(cluster)
    async with following(control_plane.kubeconfig, watch_list=watch_list) as follower:
        await agree(follower, control_plane.kubeconfig)
        await change(cluster, names, "red")
        await cluster.add_nodes(gpu_node("one-more"))
        await agree(follower, control_plane.kubeconfig)
        assert "one-more" in follower.view.nodes
        assert {pod.labels.get("team") for pod in follower.view.pods.values()} == {"red", None}


@BOTH
async def test_pages_and_watch_list_give_the_view_of_a_fresh_list(
    watch_list: bool, control_plane: ControlPlane, cluster: Sandbox
) -> None:
    await fill(cluster, pods=60)
    async with following(control_plane.kubeconfig, watch_list=watch_list) as follower:
        await agree(follower, control_plane.kubeconfig)
        assert len(follower.view.nodes) == 10


async def test_through_a_killed_api_server_the_view_keeps_what_it_has_and_says_so(
    control_plane: ControlPlane, cluster: Sandbox
) -> None:
    names = await fill(cluster)
    async with following(control_plane.kubeconfig) as follower:
        await agree(follower, control_plane.kubeconfig)
        follower.look_from_here()
        await asyncio.to_thread(control_plane.kill_apiserver)
        await follower.until(lambda: follower.view.source("pods").reading is Reading.STALE)
        assert follower.view.source("pods").detail
        assert len(follower.view.pods) == len(names)
        await asyncio.to_thread(control_plane.start_apiserver)
        await change(cluster, names, "blue")
        await agree(follower, control_plane.kubeconfig)
        assert follower.fewest["nodes"] == 10
        assert follower.fewest["pods"] >= len(names) * 2 // 3
        assert follower.readings[:2] == [Reading.LIVE, Reading.STALE]
        assert follower.readings[-1] is Reading.LIVE
        assert set(follower.readings) <= {Reading.LIVE, Reading.STALE, Reading.READ}, (
            "known all the time, listed anew or not"
        )


async def test_after_forgotten_history_all_is_listed_anew_without_an_empty_moment(
    control_plane: ControlPlane, cluster: Sandbox
) -> None:
    names = await fill(cluster)
    async with following(control_plane.kubeconfig) as follower:
        await agree(follower, control_plane.kubeconfig)
        follower.look_from_here()
        await asyncio.to_thread(control_plane.forget_history)
        await agree(follower, control_plane.kubeconfig)
        await change(cluster, names, "green")
        await agree(follower, control_plane.kubeconfig)
        assert follower.fewest["nodes"] == 10
        assert follower.fewest["pods"] >= len(names) * 2 // 3


async def test_a_reader_that_was_blocked_for_seconds_catches_up(control_plane: ControlPlane, cluster: Sandbox) -> None:
    names = await fill(cluster, pods=60)
    async with following(control_plane.kubeconfig) as follower:
        await agree(follower, control_plane.kubeconfig)
        others = asyncio.create_task(asyncio.to_thread(_change_from_a_thread, control_plane, cluster, names))
        await asyncio.sleep(0)
        time.sleep(3)  # noqa: ASYNC251  # this is the point: nothing is read meanwhile
        await others
        await agree(follower, control_plane.kubeconfig)
        assert {pod.labels.get("round") for pod in follower.view.pods.values()} == {"9"}


def _change_from_a_thread(plane: ControlPlane, cluster: Sandbox, names: list[str]) -> None:
    """Hundreds of changes by another event loop, so that they come while this one is blocked."""

    async def run() -> None:
        async with Api(plane.server, "admin") as api:
            for number in range(10):
                body = {"metadata": {"labels": {"round": str(number)}}}
                paths = [f"{cluster.pods_path}/{name}" for name in names]
                await asyncio.gather(*(api.request("PATCH", path, body) for path in paths))

    asyncio.run(run())


async def test_who_may_list_nodes_only_sees_nodes_and_is_told_what_lacks(
    control_plane: ControlPlane, cluster: Sandbox
) -> None:
    await fill(cluster, pods=5)
    token = await asyncio.to_thread(control_plane.access.add_user, "sees-nodes", SEE_NODES)
    async with following(control_plane.access.with_token(token)) as follower:
        await follower.until(lambda: follower.view.source("nodes").reading is Reading.LIVE)
        pods = follower.view.source("pods")
        assert (pods.reading, pods.known) == (Reading.FORBIDDEN, False)
        assert "list" in pods.detail
        assert "pods" in pods.detail
        assert len(follower.view.nodes) == 10
        rights = [*SEE_NODES, {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]}]
        await _grant(cluster, "sees-nodes", rights)
        await follower.live()  # as soon as somebody grants it, without a restart
        assert len(follower.view.pods) == 5


async def _grant(cluster: Sandbox, name: str, rules: list[dict[str, Any]]) -> None:
    await cluster.api.request("PATCH", f"/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}", {"rules": rules})


async def test_every_usual_way_to_log_in_works(control_plane: ControlPlane, cluster: Sandbox) -> None:
    await fill(cluster, pods=3)
    ways = await asyncio.to_thread(control_plane.access.administrators)
    assert len(ways) >= 7
    for way, kubeconfig in ways.items():
        view = await fresh(kubeconfig)
        assert {kind: view.source(kind).reading for kind in KINDS} == dict.fromkeys(KINDS, Reading.READ), way
        assert (len(view.nodes), len(view.pods)) == (10, 3), way


async def test_a_wrong_token_is_one_sentence_that_says_where_it_came_from(control_plane: ControlPlane) -> None:
    kubeconfig = control_plane.access.with_token("forged")
    with pytest.raises(ClusterError, match=r"does not accept the credentials \(401\)") as refused:
        await fresh(kubeconfig)
    assert "kubeconfig" in str(refused.value)
    assert "forged" not in str(refused.value)


async def test_a_certificate_of_another_authority_is_refused_in_one_sentence(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    text = control_plane.access.with_token("admin", trust="file").read_text("utf-8")
    authority = str(control_plane.layout.credentials.ca_certificate)
    assert authority in text
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(text.replace(authority, certifi.where()), encoding="utf-8")
    with pytest.raises(ClusterError, match="certificate"):
        await fresh(kubeconfig)
