"""The preview of `/scale` by eight on 5,000 nodes with 150,000 pods: all fit, none fits, spreading, making room.

Changes flow in between, so that no answer is one that was kept. The plan with all its words is made as it is for a
person. CPU time is held to the goal.
"""

from __future__ import annotations

import itertools
from typing import Any

import msgspec

from bot.adapters.cluster import kinds, memory
from bot.adapters.cluster.shared import Shared
from bot.changes.kind import Ask
from bot.changes.kinds.scale import plan_of, preview_of
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.scaling.more import Up
from tests.bench.controlplane_objects import stored_nodes
from tests.bench.figure import Figure, percentile, within
from tests.bench.why import NOW, POLICY, _taken
from tests.bench.why_pod import COMPANY, TOLERATIONS, changes, filled
from tests.cluster.fleet import PRODUCT
from tests.cluster.objects import gpu_pod

ROUNDS = 20
MORE = 8
SPARE = 400
"""Empty nodes beside the full ones: enough that choosing among them costs something."""

MOST_MS = 300.0
ALIKE = {"app.kubernetes.io/part-of": "inference"}
SPECS: dict[str, tuple[dict[str, Any], int]] = {
    "all fit": ({}, MORE),
    "spread, affinity": (COMPANY, -1),
    "none fits": ({"nodeSelector": {PRODUCT: "NVIDIA-H900"}}, 0),
    "full nodes": ({"nodeSelector": {"pool": "full"}}, 0),
    "making room": ({"nodeSelector": {"pool": "full"}, "priority": 1_000}, MORE),
}


def figures() -> list[Figure]:
    view = filled()
    shared = Shared()
    for kind in kinds.collect():
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    for name, node in list(view.nodes.items()):
        view.put("nodes", name, msgspec.structs.replace(node, labels={**node.labels, "pool": "full"}))
    _spare(view, shared)
    flow = changes(view)
    next(flow)
    memory.after_loading()
    inventory = Inventory(view, POLICY)
    found: list[Figure] = []
    for name, (spec, starts) in SPECS.items():
        target = _deployment(view, shared, name.replace(", ", "-").replace(" ", "-"), spec)
        arguments = {"kind": "Deployment", "namespace": "team-0", "name": target, "replicas": str(MORE)}

        def preview(arguments: dict[str, str] = arguments, starts: int = starts) -> None:
            ask = Ask(arguments, view, inventory, NOW)
            told = preview_of(ask)
            plan_of(ask, told)
            _hold(told.up, starts)

        taken = _taken(view, flow, preview, ROUNDS)
        label = f"/scale by {MORE}: {name} (p50 {percentile(taken, 50):.0f} ms): p99 of CPU"
        found.append(within(label, percentile(taken, 99), "ms", MOST_MS))
    return found


def _hold(up: Up | None, starts: int) -> None:
    if up is None or (starts >= 0 and up.starts != starts):
        raise AssertionError(f"{up.starts if up else None} of {MORE} start, not {starts}")


def _spare(view: View, shared: Shared) -> None:
    kind = kinds.collect()["nodes"]
    for number, (_, item) in enumerate(itertools.islice(stored_nodes(SPARE), SPARE)):
        name = f"spare-{number}"
        item["metadata"] |= {"name": name, "uid": name, "resourceVersion": f"s{number}"}
        item["metadata"]["labels"] |= {"kubernetes.io/hostname": name}
        key, record = kinds.decode(kind, msgspec.json.encode(item), shared)
        view.put("nodes", key, record)


def _deployment(view: View, shared: Shared, name: str, spec: dict[str, Any]) -> str:
    """Wants nothing yet, so that its pod is made from the template."""
    pod = gpu_pod(name, gpus=8, labels={**ALIKE, "app": name}, spec={"tolerations": TOLERATIONS, **spec})
    item = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "team-0", "uid": name, "resourceVersion": name},
        "spec": {"replicas": 0, "template": {"metadata": pod["metadata"], "spec": pod["spec"]}},
    }
    key, record = kinds.decode(kinds.collect()["deployments"], msgspec.json.encode(item), shared)
    view.put("deployments", key, record)
    return name


if __name__ == "__main__":
    for each in figures():
        print(each)
