"""Why one pod waits, asked of an API server from start to end: `gpubot ask`, beside what people read instead.

Those read `kubectl describe pod`, which tells the scheduler's counts, and to find the nodes and who holds them all nodes
and pods as JSON. The whole process of either side is measured, imports and all.
"""

from __future__ import annotations

import os
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

import msgspec

from tests.bench.embedded import kubectl
from tests.bench.embedded_server import served
from tests.bench.figure import Figure, Sample, beside, measured, median
from tests.bench.startup import write_kubeconfig
from tests.cluster.objects import gpu_pod

NODES, PODS = 500, 5_000
ROUNDS = 3
NAMESPACE, NAME = "bench", "waits"


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder, served(NODES, PODS) as url:
        _create(url)
        kubeconfig = write_kubeconfig(Path(folder), url)
        environment = {"PATH": os.environ["PATH"], "HOME": folder}
        client = [kubectl(), "--kubeconfig", str(kubeconfig)]
        ours = [_ask(kubeconfig, environment) for _ in range(ROUNDS)]
        theirs = [
            measured([*client, *words], environment=environment)
            for words in (("describe", "pod", NAME, "-n", NAMESPACE), ("get", "nodes,pods", "-A", "-o", "json"))
        ]
    size = f"why a pod waits, process start to answer ({NODES:,} nodes, {PODS:,} pods)"
    peer = "kubectl describe pod; get nodes,pods -A -o json"
    cpu, peak = sum(one.cpu_seconds for one in theirs), max(one.peak_mib for one in theirs)
    return [
        beside(f"{size}: CPU", median(ours, lambda one: one.cpu_seconds), "s", peer, cpu, at_most=1 / 3),
        beside(f"{size}: peak memory", median(ours, lambda one: one.peak_mib), "MiB", peer, peak, at_most=1 / 3),
    ]


def _ask(kubeconfig: Path, environment: dict[str, str]) -> Sample:
    question = f"why {NAMESPACE}/{NAME}"
    command = [sys.executable, "-m", "bot", "ask", "--json", "--kubeconfig", str(kubeconfig), question]
    sample = measured(command, environment=environment, keep_output=True)
    told = msgspec.json.decode(sample.out)
    if NAME not in told["cause"]["sentence"]:
        raise RuntimeError(f"the answer speaks of something else: {sample.out[:300]}")
    return sample


def _create(url: str) -> None:
    """A pod that asks for more GPUs than any node has."""
    pod: dict[str, Any] = gpu_pod(NAME, gpus=16)
    pod["metadata"]["namespace"] = NAMESPACE
    pod["status"] = {"phase": "Pending"}
    _post(f"{url}/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    _post(f"{url}/api/v1/namespaces/{NAMESPACE}/pods", {"apiVersion": "v1", "kind": "Pod", **pod})


def _post(url: str, item: dict[str, Any]) -> None:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, msgspec.json.encode(item), headers, method="POST")
    with urllib.request.urlopen(request, timeout=30) as reply:
        reply.read()


if __name__ == "__main__":
    for each in figures():
        print(each)
