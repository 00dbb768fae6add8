"""`/gpu status` from a view of 5,000 nodes and 150,000 pods, changes flowing in between: no answer looks at all pods.

A question is measured from its line to Slack's blocks, in CPU time: nothing is waited for in between, so on a machine of
its own that is how long it takes, and other programs on this one do not count.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NoReturn

import msgspec

from bot.adapters.cluster import kinds, memory
from bot.adapters.cluster.shared import Shared
from bot.command import Cluster
from bot.dialogue import all_commands, decide, request_of, understand
from bot.domain.pod import Pod
from bot.domain.record import Record
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.views.blocks import render
from config.settings import load
from tests.bench.controlplane_objects import PODS_PER_OWNER, stored_namespaces, stored_nodes, stored_pods
from tests.bench.figure import Figure, percentile, within
from tests.cluster.fleet import PRODUCT
from tests.cluster.objects import GPU

NODES, PODS = 5_000, 150_000
ROUNDS = 150
SEEN, FRESH = 80, 20
"""Changes before each question: pods that end, and pods that start elsewhere. As in the bot, which looks at changed
nodes five times a second, those of the last fifth of a second are left to the question: 100 changes a second in all."""

LINES = ("gpu status", "gpu status --by team", "gpu status --by owner", "gpu status --by node")
MOST_MS = 20.0
NOW = datetime(2026, 6, 1, tzinfo=UTC)


class Unscanned(dict[str, Record]):
    """A table that may be looked up but not gone through."""

    def _refuse(self, *_: object) -> NoReturn:
        raise AssertionError("an answer goes through all pods")

    __iter__ = keys = values = items = _refuse  # type: ignore[assignment]  # refusing is the point


def figures() -> list[Figure]:
    view = _filled()
    cluster = Cluster(view.cluster, view, Inventory(view, load(None).gpu.policy()))
    cluster.inventory.refresh()
    memory.after_loading()
    changes = _changes(view)
    ask(cluster, LINES[0])
    next(changes)  # it looks for the pods to move: the last time that anything goes through all
    forbid_scans(view)
    taken: dict[str, list[float]] = {line: [] for line in LINES}
    for _ in range(ROUNDS):
        for line in LINES:
            _apply(view, itertools.islice(changes, SEEN))
            cluster.inventory.refresh()
            _apply(view, itertools.islice(changes, FRESH))
            taken[line].append(ask(cluster, line))
    where = f"{NODES:,} nodes, {PODS:,} pods, 100 changes a second"
    return [within(f"/{line} ({where}): p99 of CPU", percentile(taken[line], 99), "ms", MOST_MS) for line in LINES]


def ask(cluster: Cluster, line: str) -> float:
    """Milliseconds of CPU from the typed line to what Slack is sent."""
    known = all_commands()
    started = time.thread_time()
    asked = understand(line, known)
    reply = decide(asked, request_of(asked, {cluster.name: cluster}, cluster.name, lambda: NOW, known))
    render(reply.document)
    return (time.thread_time() - started) * 1000


def forbid_scans(view: View) -> None:
    """From now on going through the pods, or through the nodes' pods, fails."""
    view.pods = Unscanned(view.pods)  # type: ignore[assignment]
    view.tables["pods"] = view.pods  # type: ignore[assignment]
    view.pods_by_node = Unscanned(view.pods_by_node)  # type: ignore[assignment, arg-type]


def _filled() -> View:
    memory.before_loading()
    view = View("bench")
    shared = Shared()
    _load(view, "namespaces", shared, stored_namespaces())
    _load(view, "nodes", shared, stored_nodes(NODES))
    _load(view, "pods", shared, stored_pods(PODS, NODES))
    for kind in kinds.collect():
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    return view


def _load(view: View, name: str, shared: Shared, stored: Iterable[tuple[str, dict[str, Any]]]) -> None:
    kind = kinds.collect()[name]
    for number, (_, item) in enumerate(stored):
        item["metadata"]["resourceVersion"] = str(number)
        if name == "pods":
            _as_one_deployment_a_node(item, number)
        key, record = kinds.decode(kind, msgspec.json.encode(item), shared)
        view.put(name, key, record)


def _as_one_deployment_a_node(pod: dict[str, Any], number: int) -> None:
    """Eight GPUs of one node are held by one owner of some team, which is as many owners as can be expected."""
    pod["metadata"]["labels"]["team"] = f"team-{number // PODS_PER_OWNER % 12}"
    if number < NODES * PODS_PER_OWNER:
        pod["spec"]["nodeName"] = f"node-{number // PODS_PER_OWNER}"


def _changes(view: View) -> Iterator[tuple[str, Pod | None]]:
    """A pod ends, and one like it starts on the node of the last that ended, over and over: GPUs wander."""
    pods = [pod for pod in view.pods.values() if pod.requests.get(GPU)]
    left = {view.nodes[pod.node].labels[PRODUCT]: pod.node for pod in pods[-16:]}
    for number in itertools.count():
        old = pods[number * 7919 % len(pods)]
        product = view.nodes[old.node].labels[PRODUCT]
        yield old.key, None
        new = msgspec.structs.replace(old, node=left[product], version=f"{number}")
        yield new.key, new
        pods[number * 7919 % len(pods)], left[product] = new, old.node


def _apply(view: View, changes: Iterable[tuple[str, Pod | None]]) -> None:
    for key, pod in changes:
        if pod is None:
            view.take("pods", key)
        else:
            view.put("pods", key, pod)


if __name__ == "__main__":
    for each in figures():
        print(each)
