"""The real control plane with 5,000 nodes and 50,000 pods: `gpubot ask` beside kubectl, each from start to end."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from tests.bench.controlplane_load import fill
from tests.bench.embedded import kubectl
from tests.bench.figure import Figure, Sample, beside, measured, median
from tests.bench.startup import ask
from tests.cluster.controlplane.build import build
from tests.cluster.controlplane.launch import ControlPlane

NODES, PODS = 5_000, 50_000
GPUS = NODES * 8
RUNS = 3
WARM_UP_SECONDS = 60


def figures() -> list[Figure]:
    """Raises RuntimeError where the control plane is not built and cannot be."""
    plane = ControlPlane(build())
    try:
        plane.start(["etcd", "apiserver"])
        asyncio.run(fill(plane, nodes=NODES, pods=PODS))
        _warm_up(plane.kubeconfig)
        table = _kubectl(plane.kubeconfig)
        ours = [ask(plane.kubeconfig, GPUS) for _ in range(RUNS)]
        whole = _kubectl(plane.kubeconfig, "-o", "json")
    finally:
        plane.stop()
    return _figures(ours, table, whole)


def _warm_up(kubeconfig: Path) -> None:
    """Ask until it is answered: for a while after a load like that the server's own cache lags, and it says so (504)."""
    give_up_at = time.monotonic() + WARM_UP_SECONDS
    while True:
        try:
            ask(kubeconfig, GPUS)
        except RuntimeError:
            if time.monotonic() > give_up_at:
                raise
            time.sleep(1)
        else:
            return


def _figures(ours: list[Sample], table: Sample, whole: Sample) -> list[Figure]:
    wall, peak = median(ours, lambda sample: sample.wall_seconds), median(ours, lambda sample: sample.peak_mib)
    name = f"gpubot ask on a real API server, {NODES:,} nodes and {PODS:,} pods"
    as_table, as_json = "kubectl get pods -A", "kubectl get pods -A -o json"
    return [
        beside(f"{name}: time", wall, "s", as_table, table.wall_seconds, at_most=1 / 3),
        beside(f"{name}: time", wall, "s", as_json, whole.wall_seconds, at_most=1 / 10),
        beside(f"{name}: peak memory", peak, "MiB", as_json, whole.peak_mib, at_most=1 / 10),
    ]


def _kubectl(kubeconfig: Path, *form: str) -> Sample:
    environment = {"PATH": os.environ["PATH"], "HOME": str(kubeconfig.parent)}
    return measured([kubectl(), "--kubeconfig", str(kubeconfig), "get", "pods", "-A", *form], environment=environment)
