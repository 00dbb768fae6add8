"""The large cluster that benchmarks read: written past the API server, yet served and judged as if made through it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.bench.controlplane_load import fill
from tests.cluster.api import Api
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.objects import gpu_pod
from tests.cluster.sandbox import sandbox


async def test_a_filled_control_plane_lists_every_object_once_and_is_judged(
    new_control_plane: Callable[..., ControlPlane],
) -> None:
    plane = await asyncio.to_thread(new_control_plane, "etcd", "apiserver")
    await fill(plane, nodes=100, pods=1_000)
    await asyncio.to_thread(plane.add, "scheduler")
    async with Api(plane.server, "admin") as api, sandbox(api, "asks") as made:
        names = await _names_by_pages(api)
        assert len(names) == len(set(names)) == 1_000
        made.node_count = 100
        await made.add_pods(gpu_pod("one-too-many"))
        message = (await made.unschedulable("one-too-many"))["one-too-many"]
    assert message.startswith("0/100 nodes are available: 100 Insufficient nvidia.com/gpu.")


async def _names_by_pages(api: Api) -> list[str]:
    names: list[str] = []
    query = {"limit": "300", "fieldSelector": "status.phase=Running"}
    while True:
        page = await api.request("GET", "/api/v1/pods", None, **query)
        names += [item["metadata"]["name"] for item in page["items"]]
        if not (token := page["metadata"].get("continue")):
            return names
        query["continue"] = token


async def test_a_control_plane_on_which_others_watch_is_not_filled(control_plane: ControlPlane) -> None:
    with pytest.raises(ValueError, match=r"start these after the load.*: controllers, scheduler"):
        await fill(control_plane, nodes=1, pods=1)
