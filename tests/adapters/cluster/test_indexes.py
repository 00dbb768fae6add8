"""Whatever comes in whatever order, the view's indexes are what counting from scratch would give."""

import asyncio
import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.cluster import kinds
from bot.adapters.cluster.decoding import decode_page, records
from bot.adapters.cluster.replacement import Replacement
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.watch import Watch
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.view import View
from tests.adapters.cluster import samples

POD = kinds.collect()["pods"]
names = st.sampled_from(["a", "b", "c", "d"])
claims = st.lists(st.integers(0, 2), max_size=2, unique=True)


@st.composite
def pods(draw: st.DrawFn) -> dict[str, Any]:
    node = draw(st.sampled_from(["", "n1", "n2"]))
    phase = draw(st.sampled_from(["Pending", "Running", "Succeeded", "Failed"]))
    owner, gpus = draw(st.sampled_from(["", "rs1", "rs2"])), draw(st.integers(0, 3))
    pod = samples.pod(draw(names), node=node, owner=owner, gpus=gpus, phase=phase)
    pod["spec"]["priority"] = draw(st.integers(0, 2))
    if draw(st.booleans()):
        pod["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}
    if draw(st.booleans()):
        pod["metadata"]["deletionTimestamp"] = "2026-12-01T00:00:00Z"
    return pod


@st.composite
def resource_claims(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(names)  # devices of its own: no two claims hold the same one
    results = [{"driver": "gpu.nvidia.com", "pool": "n1", "device": f"{name}-{number}"} for number in draw(claims)]
    claim = samples.plain("resourceclaims", name, "ml")
    return claim | {"status": {"allocation": {"devices": {"results": results}}}}


@st.composite
def resource_slices(draw: st.DrawFn) -> dict[str, Any]:
    made = samples.plain("resourceslices", draw(names))
    made["spec"]["nodeName"] = draw(st.sampled_from(["n1", "n2"]))
    return made


events = st.sampled_from(["ADDED", "MODIFIED", "DELETED"])
steps = st.one_of(
    st.tuples(st.just("event"), st.just("pods"), events, pods()),
    st.tuples(st.just("event"), st.just("resourceclaims"), events, resource_claims()),
    st.tuples(st.just("event"), st.just("resourceslices"), events, resource_slices()),
    st.tuples(st.just("relist"), st.just("pods"), st.just(""), st.lists(pods(), max_size=4)),
)


def counted(view: View) -> dict[str, Any]:
    """The indexes, from the tables alone."""
    by_node: dict[str, set[Any]] = {}
    by_owner: dict[str, set[Any]] = {}
    requested: dict[str, dict[str, int]] = {}
    priorities: dict[str, dict[int, int]] = {}
    for pod in view.pods.values():
        if pod.node:
            by_node.setdefault(pod.node, set()).add(pod)
        if pod.owner:
            by_owner.setdefault(pod.owner.uid, set()).add(pod)
        if pod.node and pod.phase not in ("Succeeded", "Failed"):
            totals = requested.setdefault(pod.node, {"pods": 0})
            totals["pods"] += 1
            alike = priorities.setdefault(pod.node, {})
            alike[pod.priority] = alike.get(pod.priority, 0) + 1
            for name, value in pod.requests.items():
                totals[name] = totals.get(name, 0) + value
    slices: dict[str, set[Any]] = {}
    for one in view.resourceslices.values():
        slices.setdefault(one.node, set()).add(one)
    return {
        "by_node": by_node,
        "by_owner": by_owner,
        "unowned": {pod for pod in view.pods.values() if pod.owner is None},
        "repelling": {pod for pod in view.pods.values() if pod.node and pod.spec.anti_affinity},
        "priorities": priorities,
        "waiting": {pod for pod in view.pods.values() if not pod.node and pod.phase in ("Pending", "Running")},
        "leaving": {pod for pod in view.pods.values() if pod.node and pod.deleted},
        "ailing": {pod for pod in view.pods.values() if pod.node and _ails(pod)},
        "inhabited": dict(Counter(pod.namespace for pod in view.pods.values())),
        "called": sorted(key for key, pod in view.pods.items() if _called(pod)),
        "shapes": {name: len(node.labels) for name, node in view.nodes.items()},
        "requested": {
            node: {name: value for name, value in totals.items() if value} for node, totals in requested.items()
        },
        "slices": slices,
        "held": {device for claim in view.resourceclaims.values() for device in claim.allocated},
    }


def _ails(pod: Pod) -> bool:
    if pod.phase == "Running":
        return any(one.waiting or one.exit_code for one in pod.states)
    return pod.phase != "Succeeded"


def _called(pod: Pod) -> bool:
    """Something that labels and names tell."""
    return len(pod.labels) % 2 == 1 or pod.name in "ab"


def _shape(node: Node) -> int:
    return len(node.labels)


def kept(view: View) -> dict[str, Any]:
    return {
        "by_node": view.pods_by_node,
        "by_owner": view.pods_by_owner,
        "unowned": view.unowned,
        "repelling": view.repelling,
        "priorities": view.priorities,
        "waiting": view.waiting,
        "leaving": view.leaving,
        "ailing": view.ailing,
        "inhabited": view.inhabited,
        "called": [pod.key for pod in view.pods_that(_called)],
        "shapes": dict(view.each_node(_shape)),
        "requested": view.requested,
        "slices": view.devices.slices_by_node,
        "held": set(view.devices.holders),
    }


@settings(max_examples=150, deadline=None)
@given(st.lists(steps, max_size=25))
def test_indexes_equal_a_recount_after_any_events_and_relists(taken: list[tuple[Any, ...]]) -> None:
    asyncio.run(play(taken))


async def play(taken: list[tuple[Any, ...]]) -> None:
    view, shared = View("test"), Shared()
    watches = {
        kind: Watch(kinds.collect()[kind], "", view, shared, {}, "1") for kind in view.tables if kind in kinds.collect()
    }
    model: dict[str, dict[str, str]] = {kind: {} for kind in watches}
    for version, (what, kind, event, content) in enumerate(taken, start=1):
        if what == "event":
            await happen(watches[kind], model[kind], event, content, version)
        else:
            await relist(view, shared, model[kind], content, version)
        assert kept(view) == counted(view)
        assert {key: record.version for key, record in view.tables[kind].items()} == model[kind]


async def happen(watch: Watch, model: dict[str, str], event: str, obj: dict[str, Any], version: int) -> None:
    meta = obj["metadata"] | {"resourceVersion": str(version)}
    line = json.dumps({"type": event, "object": obj | {"metadata": meta}}).encode() + b"\n"
    await watch.take(line[:30])
    await watch.take(line[30:])
    key = f"{meta['namespace']}/{meta['name']}" if "namespace" in meta else meta["name"]
    if event == "DELETED":
        model.pop(key, None)
    else:
        model[key] = str(version)


async def relist(
    view: View, shared: Shared, model: dict[str, str], objects: list[dict[str, Any]], version: int
) -> None:
    """Some of the pods are as they were, others are new, the rest is gone."""
    replacement = Replacement(view, "pods", "")
    listed = {f"ml/{obj['metadata']['name']}": obj for obj in objects}
    for obj in listed.values():
        obj["metadata"]["resourceVersion"] = str(version)
    page = decode_page(POD, json.dumps({"metadata": {}, "items": list(listed.values())}).encode())
    for key, record in records(POD, page.items, shared, replacement.known, {}):
        replacement.add(key, record)
    await replacement.finish(keep=set())
    model.clear()
    model.update(dict.fromkeys(listed, str(version)))
