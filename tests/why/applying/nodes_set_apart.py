"""Scenarios: nodes with room that keep the pod away by a cordon or a taint."""

from __future__ import annotations

from typing import Any

from tests.cluster.api import Object
from tests.why.applying.bench import Bench
from tests.why.applying.scenario import WAITS, Act, Expected, Scenario, anew
from tests.why.applying.things import (
    CONTROL_PLANE,
    DEDICATED,
    GPU_TAINT,
    a_deployment,
    a_job,
    a_node,
    a_pod,
    a_replica_set,
    a_stateful_set,
)

UNREACHABLE = {
    "key": "node.kubernetes.io/unreachable",
    "operator": "Exists",
    "effect": "NoExecute",
    "tolerationSeconds": 900,
}
GPU_TOLERATED = {"key": GPU_TAINT["key"], "operator": "Exists", "effect": "NoSchedule"}
MAKE = {
    "pod": a_pod,
    "deployment": a_deployment,
    "stateful set": a_stateful_set,
    "replica set": a_replica_set,
    "job": a_job,
}


async def _cordoned(bench: Bench) -> None:
    await bench.create(a_node("gpu-1", gpus=4), a_node("gpu-2", cordoned=True), a_node("cpu-1", gpus=0))
    await bench.create(a_pod(WAITS, 8))
    await bench.refused(WAITS)


def _tainted(kind: str, tolerations: list[Object] | None = None, taint: Object = DEDICATED) -> Act:
    async def build(bench: Bench) -> None:
        taints = [taint, GPU_TAINT] if tolerations and GPU_TOLERATED in tolerations else [taint]
        await bench.create(a_node("gpu-1", taints=taints), a_node("cpu-1", gpus=0))
        more: dict[str, Any] = {"tolerations": tolerations} if tolerations else {}
        await bench.create(MAKE[kind](WAITS, 2, **more))
        await bench.refused(WAITS)

    return build


async def _two_wait(bench: Bench) -> None:
    """Two pods of one job: both are given the toleration."""
    await bench.create(a_node("gpu-1", taints=[DEDICATED]))
    await bench.create(a_job(WAITS, 2, 2))
    await bench.refused(WAITS, 2)


def _tolerate(title: str, build: Act) -> Scenario:
    return Scenario(title, build, (Expected("Tolerate the taint", to=("gpu-1",)),))


def _some_run(kind: str) -> Act:
    """One pod runs already, one more waits."""

    async def build(bench: Bench) -> None:
        await bench.create(a_node("gpu-1", gpus=2), a_node("gpu-2", gpus=2, taints=[DEDICATED]))
        await bench.create(MAKE[kind](WAITS, 2, 2))
        await bench.refused(WAITS)

    return build


def _spread(kind: str) -> Act:
    async def build(bench: Bench) -> None:
        master = a_node("master-1", gpus=0, taints=[CONTROL_PLANE])
        await bench.create(a_node("gpu-1"), a_node("gpu-2"), master)
        rule = {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": WAITS}},
        }
        wish = {**rule, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}
        await bench.create(MAKE[kind](WAITS, 1, 3, topologySpreadConstraints=[wish, rule]))
        await bench.refused(WAITS)

    return build


HONOR = "Set `nodeTaintsPolicy: Honor`"
SCENARIOS = (
    Scenario("a cordoned node", _cordoned, (
        Expected("Uncordon gpu-2", to=("gpu-2",)),
        Expected("Ask for 4 GPUs", to=("gpu-1",), by_hand=anew(a_pod, 4)),
    )),
    *(_tolerate(f"a taint, and a {kind} without tolerations", _tainted(kind)) for kind in MAKE),
    *(
        _tolerate(f"a taint, and a {kind} that tolerates another", _tainted(kind, [GPU_TOLERATED]))
        for kind in ("pod", "deployment", "stateful set", "job")
    ),
    *(
        _tolerate(f"a taint, and a {kind} that says how long an unreachable node is borne", _tainted(kind, [UNREACHABLE]))
        for kind in ("pod", "deployment")
    ),
    _tolerate("a taint without a value", _tainted("deployment", taint={"key": "a.b/c", "effect": "NoExecute"})),
    *(
        Scenario(f"a taint, and a {kind} of which one pod runs", _some_run(kind), (
            Expected("Tolerate the taint", to=("gpu-2",)),
        ), count=2, extra=int(kind == "deployment"))
        for kind in ("deployment", "stateful set", "replica set", "job")
    ),
    Scenario("a taint, and a job of two pods", _two_wait, (Expected("Tolerate the taint", to=("gpu-1",)),), count=2),
    Scenario("a spread that counts the control plane", _spread("deployment"), (Expected(HONOR),), count=3, real=True),
    Scenario("the same of a stateful set", _spread("stateful set"), (Expected(HONOR),), count=3, real=True),
)  # fmt: skip
