"""Scenarios: what the pod itself asks for keeps it out, by a label, a name, an amount or a low priority."""

from __future__ import annotations

from typing import Any

from tests.why.applying.bench import Bench
from tests.why.applying.nodes_set_apart import MAKE
from tests.why.applying.scenario import WAITS, Act, Expected, Scenario, anew
from tests.why.applying.things import (
    DEDICATED,
    PRODUCT,
    a_deployment,
    a_node,
    a_pod,
    a_priority_class,
)

H200, SLICE = "NVIDIA-H200", "NVIDIA-H200-MIG-1g.18gb"
MIG = "nvidia.com/mig-1g.18gb"
HIGH = "glm-high"


def _selector(kind: str, **more: Any) -> Act:
    async def build(bench: Bench) -> None:
        await bench.create(a_node("gpu-1", labels={PRODUCT: H200, "pool": "a"}), a_node("cpu-1", gpus=0))
        await bench.create(MAKE[kind](WAITS, 2, **more))
        await bench.refused(WAITS)

    return build


WRONG = {"nodeSelector": {PRODUCT: "NVIDIA-H20", "pool": "a"}}


def _affinity(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    required = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


POOL_A = {"key": "pool", "operator": "In", "values": ["a"]}
NOT_THERE = {"key": PRODUCT, "operator": "In", "values": ["NVIDIA-B200"]}


def _slices(kind: str) -> Act:
    """MIG strategy single: the slices are offered as whole GPUs."""

    async def build(bench: Bench) -> None:
        await bench.create(a_node("gpu-1", gpus=7, labels={PRODUCT: SLICE}), a_node("cpu-1", gpus=0))
        await bench.create(MAKE[kind](WAITS, 2, resource=MIG))
        await bench.refused(WAITS)

    return build


def _too_many(kind: str, **more: Any) -> Act:
    async def build(bench: Bench) -> None:
        await bench.create(a_node("gpu-1", gpus=6), a_node("cpu-1", gpus=0))
        await bench.create(MAKE[kind](WAITS, 8, **more))
        await bench.refused(WAITS)

    return build


def _low_priority(kind: str) -> Act:
    """What it needs is held by a static share of GPUs that nobody can end, but the scheduler may evict it."""

    async def build(bench: Bench) -> None:
        await bench.create(a_priority_class(HIGH, 100_000), a_node("gpu-1", gpus=2))
        await bench.create(a_pod("held", 2))
        await bench.running("held")
        await bench.create(MAKE[kind](WAITS, 2))
        await bench.refused(WAITS)

    return build


async def _full(bench: Bench) -> None:
    """Nobody else's GPUs: they are of the same owner, so only another node helps."""
    await bench.create(a_node("gpu-1", gpus=1, labels={PRODUCT: H200}), a_node("gpu-2", gpus=0, taints=[DEDICATED]))
    await bench.create(a_deployment(WAITS, 1, 2))
    await bench.refused(WAITS)


async def _another_node(bench: Bench) -> None:
    await bench.create(a_node("gpu-3", gpus=1, labels={PRODUCT: H200}))


END = Expected("End held", to=("gpu-1",))
ALONE = ("pod", "job")


def _by_hand(kind: str, *args: Any, **more: Any) -> Act | None:
    return anew(MAKE[kind], *args, **more) if kind in ALONE else None


SCENARIOS = (
    *(
        Scenario(f"a {kind} that selects a product that is not there", _selector(kind, **WRONG), (
            Expected(f"Do not ask for the label `{PRODUCT}`", to=("gpu-1",), by_hand=_by_hand(kind, 2)),
        ))
        for kind in MAKE
    ),
    Scenario("an affinity for a product that is not there", _selector("deployment", **_affinity([POOL_A, NOT_THERE])), (
        Expected(f"Do not ask for the label `{PRODUCT}`", to=("gpu-1",)),
    )),
    Scenario("an affinity for nothing else", _selector("stateful set", **_affinity([NOT_THERE])), (
        Expected(f"Do not ask for the label `{PRODUCT}`", to=("gpu-1",)),
    )),
    Scenario("one of two alternatives can be had", _selector("deployment", **_affinity(
        [NOT_THERE, {"key": "pool", "operator": "In", "values": ["b"]}], [NOT_THERE, POOL_A])), (
        Expected(f"Do not ask for the label `{PRODUCT}`", to=("gpu-1",)),
    )),
    *(
        Scenario(f"a {kind} that asks for slices by another name", _slices(kind), (
            Expected("Ask for `nvidia.com/gpu: 2` instead", to=("gpu-1",), by_hand=_by_hand(kind, 2)),
        ))
        for kind in MAKE
    ),
    *(
        Scenario(f"a {kind} that asks for more than a node has", _too_many(kind), (
            Expected("Ask for 4 GPUs instead of 8", to=("gpu-1",), by_hand=_by_hand(kind, 4)),
        ))
        for kind in MAKE
    ),
    Scenario("limits alone ask for more than a node has", _too_many("deployment", limits_only=True), (
        Expected("Ask for 4 GPUs instead of 8", to=("gpu-1",)),
    )),
    *(
        Scenario(f"a {kind} of low priority", _low_priority(kind), (
            Expected("End ", to=("gpu-1",)),
            Expected(f"Give it the priority class `{HIGH}`", to=("gpu-1",),
                     by_hand=_by_hand(kind, 2, priorityClassName=HIGH)),
        ))
        for kind in ("pod", "deployment", "stateful set")
    ),
    Scenario("nothing but another node helps", _full, (
        Expected("One more node like gpu-1", to=("gpu-3",), by_hand=_another_node),
    ), count=2),
)  # fmt: skip
