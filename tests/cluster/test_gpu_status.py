"""`/gpu status` against the real scheduler: free is what it still binds, largest the most it binds at once."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bot.adapters.cluster.connection import from_kubeconfig
from bot.adapters.cluster.once import read_once
from bot.cli.source import moment
from bot.gpu.inventory import Inventory
from bot.gpu.kind import short
from bot.gpu.policy import Policy
from bot.gpu.status import Ask, Status, status
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.fleet import GPU_TAINT, PRODUCT, PRODUCTS
from tests.cluster.objects import GPU, gpu_node, gpu_pod
from tests.cluster.probing import (
    accepted_one_by_one,
    fence,
    fleet,
    largest_accepted,
    probe,
    remove_pod,
    settle,
)
from tests.cluster.sandbox import Sandbox

H200, H100 = PRODUCTS


async def ask(plane: ControlPlane) -> Status:
    async with await from_kubeconfig(str(plane.kubeconfig)) as connection:
        view = await read_once("real", connection, now=moment)
    return status(Inventory(view, Policy()), Ask(), moment())


def sums(found: Status, product: str) -> dict[str, Any]:
    """The numbers of one product; all zero where no node offers it."""
    for entry in found.kinds:
        if entry.kind.title == short(product):
            return {**entry.totals.sums, "largest": entry.totals.largest}
    raise AssertionError(f"{product} is not told of")


@pytest.mark.parametrize("seed", range(8), ids=lambda seed: f"fleet {seed}")
async def test_free_and_largest_are_what_the_scheduler_still_binds(
    seed: int, control_plane: ControlPlane, cluster: Sandbox
) -> None:
    async with fleet(cluster, random.Random(seed)):
        told = await ask(control_plane)
        for product in PRODUCTS:
            numbers = sums(told, product)
            assert await largest_accepted(cluster, product) == numbers["largest"], (product, numbers)
            assert sums(await ask(control_plane), product) == numbers, "the fleet is as it was"
            assert await accepted_one_by_one(cluster, product, numbers["free"]) == numbers["free"], (product, numbers)
            await _remove_probes(cluster)


async def _remove_probes(cluster: Sandbox) -> None:
    listed = await cluster.api.request("GET", cluster.pods_path)
    for name in (pod["metadata"]["name"] for pod in listed["items"]):
        if name.startswith("one-"):
            await remove_pod(cluster, name)
    await fence(cluster)


async def test_once_all_that_is_free_is_taken_nothing_is_free(control_plane: ControlPlane, cluster: Sandbox) -> None:
    async with fleet(cluster, random.Random(100)):
        before = sums(await ask(control_plane), H200)
        await accepted_one_by_one(cluster, H200, before["free"])
        after = sums(await ask(control_plane), H200)
        assert (after["free"], after["largest"]) == (0, 0)
        assert after["used"] == before["used"] + before["free"]
        for column in ("total", "cordoned", "reserved", "not_ready", "stranded", "lost", "terminating"):
            assert after[column] == before[column], column


HELD = [
    pytest.param({"containers": [{"name": "a", "image": "a", "resources": {"limits": {GPU: "2"}}}]}, 2, id="a limit"),
    pytest.param(
        {"initContainers": [{"name": "i", "image": "i", "resources": {"limits": {GPU: "6"}}}]}, 6,
        id="an init container that asks for more than the rest",
    ),
    pytest.param(
        {"initContainers": [
            {"name": "s", "image": "s", "restartPolicy": "Always", "resources": {"limits": {GPU: "2"}}},
            {"name": "i", "image": "i", "resources": {"limits": {GPU: "3"}}},
        ]}, 5, id="an init container beside the sidecar before it",
    ),
    pytest.param(
        {"initContainers": [
            {"name": "s", "image": "s", "restartPolicy": "Always", "resources": {"limits": {GPU: "4"}}},
        ]}, 5, id="a sidecar for as long as the pod lives",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "held"), HELD)
async def test_a_pod_holds_as_many_gpus_as_the_scheduler_counts_for(
    spec: dict[str, Any], held: int, control_plane: ControlPlane, cluster: Sandbox
) -> None:
    await cluster.add_nodes(gpu_node("only", gpus=8, labels={PRODUCT: H200}, taints=[GPU_TAINT]))
    await cluster.add_pods(gpu_pod("holder", spec={"tolerations": [{"operator": "Exists"}], **spec}))
    await cluster.scheduled("holder")
    numbers = sums(await ask(control_plane), H200)
    assert (numbers["used"], numbers["free"], numbers["largest"]) == (held, 8 - held, 8 - held)
    await cluster.add_pods(probe("rest", H200, 8 - held), probe("one-more", H200, 1))
    pods = await settle(cluster, "rest", "one-more")
    assert [name for name in ("rest", "one-more") if pods[name]["spec"].get("nodeName")] in (["rest"], ["one-more"])


async def test_gpus_of_a_node_with_few_places_left_are_free_as_long_as_one_pod_may_come(
    control_plane: ControlPlane, cluster: Sandbox
) -> None:
    """Five GPUs and two places: five one-GPU pods would not fit, one pod with five does."""
    node = gpu_node("narrow", gpus=5, labels={PRODUCT: H100})
    node["status"]["allocatable"] = {**node["status"]["capacity"], "pods": "2"}
    await cluster.add_nodes(node)
    assert sums(await ask(control_plane), H100)["free"] == 5
    await cluster.add_pods(probe("four", H100, 4), probe("one", H100, 1))
    assert set((await cluster.scheduled("four", "one")).values()) == {"narrow"}
    assert sums(await ask(control_plane), H100)["free"] == 0


async def test_gpus_of_a_node_without_a_place_are_stranded(control_plane: ControlPlane, cluster: Sandbox) -> None:
    node = gpu_node("full", gpus=5, labels={PRODUCT: H100})
    node["status"]["allocatable"] = {**node["status"]["capacity"], "pods": "1"}
    await cluster.add_nodes(node)
    await cluster.add_pods(gpu_pod("last-place", gpus=0))
    await cluster.scheduled("last-place")
    numbers = sums(await ask(control_plane), H100)
    assert (numbers["free"], numbers["stranded"]) == (0, 5)
    await cluster.add_pods(probe("one", H100, 1))
    assert "1 Too many pods" in (await cluster.unschedulable("one"))["one"]
