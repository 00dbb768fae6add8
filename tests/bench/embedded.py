"""Reading the embedded API server: beside kubectl, and beside the least that reading it could cost.

The whole process of either side is measured, imports and all, when kubectl is the peer; against the floor only the
reading is, since imports would flatter the ratio. The floor keeps what it decodes, as a reader must.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.bench.embedded_server import served
from tests.bench.figure import Figure, beside, measured, median, within
from tests.bench.startup import write_kubeconfig

NODES, PODS = 5_000, 150_000
KUBECTL_PODS = 50_000
"""kubectl needs some 12 GB for 150,000 pods; so both sides read as many as it can on an ordinary machine."""

ROUNDS = 3
MOST_EVENT_US = 35.0
MOST_STALL_MS = 50.0
Numbers = dict[str, float]


def figures() -> list[Figure]:
    return [*_beside_kubectl(), *_beside_floor()]


def _beside_kubectl() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder, served(NODES, KUBECTL_PODS) as url:
        environment = {"PATH": os.environ["PATH"], "HOME": folder}
        kubeconfig = write_kubeconfig(Path(folder), url)
        samples = [measured(_role("load", url), keep_output=True) for _ in range(ROUNDS)]
        theirs = measured([kubectl(), "--kubeconfig", str(kubeconfig), "get", "pods", "-A"], environment=environment)
    size = f"load {NODES:,} nodes and {KUBECTL_PODS:,} pods"
    peer = "kubectl get pods -A"
    return [
        beside(
            f"{size}: CPU", median(samples, lambda one: one.cpu_seconds), "s", peer, theirs.cpu_seconds, at_most=1 / 10
        ),
        beside(
            f"{size}: peak memory",
            median(samples, lambda one: one.peak_mib),
            "MiB",
            peer,
            theirs.peak_mib,
            at_most=1 / 10,
        ),
    ]


def _beside_floor() -> list[Figure]:
    with served(NODES, PODS) as url:
        rounds = [(_run("floor", url, "keep"), _run("load", url)) for _ in range(ROUNDS)]
        events = [(_run("event", url), _run("official")) for _ in range(ROUNDS)]
    floor, ours, event, official = (
        _least(samples) for pairs in (rounds, events) for samples in zip(*pairs, strict=True)
    )
    size = f"load {NODES:,} nodes and {PODS:,} pods"
    peer = "socket + msgspec, kept"
    changed = "one pod changed, into all indexes"
    return [
        beside(f"{size}: CPU", ours["cpu_s"], "s", peer, floor["cpu_s"], at_most=1.5),
        beside(f"{size}: peak memory", ours["peak_mib"], "MiB", peer, floor["peak_mib"], at_most=1.5),
        within(f"{size}: longest stall of the event loop", ours["stall_ms"], "ms", MOST_STALL_MS),
        within(changed, event["us"], "µs", MOST_EVENT_US),
        beside(changed, event["us"], "µs", "kubernetes (official client)", official["us"], at_most=1 / 20),
    ]


def kubectl() -> str:
    return str(Path(sys.executable).with_name("kubectl"))


def _role(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tests.bench.watch_cache", *arguments]


def _run(*arguments: str) -> Numbers:
    """One sample of tests.bench.watch_cache, in a process of its own."""
    return msgspec.json.decode(measured(_role(*arguments), keep_output=True).out, type=Numbers)


def _least(samples: Sequence[Numbers]) -> Numbers:
    """Each number from the sample that others on the machine disturbed least; so for either side."""
    return {name: min(sample[name] for sample in samples) for name in samples[0]}
