"""Scenarios: GPUs that others hold. Who is ended or moved, and that nobody else is."""

from __future__ import annotations

from tests.why.applying.bench import Bench
from tests.why.applying.kubelet import STAYS
from tests.why.applying.scenario import WAITS, Act, Expected, Scenario, anew
from tests.why.applying.things import a_deployment, a_job, a_node, a_pod, a_priority_class, a_stateful_set

FEWER = Expected("Ask for 4 GPUs", to=("gpu-1", "gpu-2"), by_hand=anew(a_pod, 4))


async def _waits(bench: Bench, gpus: int = 8) -> None:
    await bench.create(a_pod(WAITS, gpus))
    await bench.refused(WAITS)


def _held_by(make: object, *args: object, count: int = 1, **more: object) -> Act:
    """One node, held by one owner."""

    async def build(bench: Bench) -> None:
        await bench.create(a_node("gpu-1"), a_node("cpu-1", gpus=0))
        await bench.create(make("held", *args, **more))  # type: ignore[operator]
        await bench.running("held", count)
        await _waits(bench)

    return build


async def _two_holders(bench: Bench) -> None:
    await bench.create(a_node("gpu-1"))
    await bench.create(a_job("train", 4), a_pod("note", 4))
    await bench.running("train")
    await bench.running("note")
    await _waits(bench)


async def _part_of_a_deployment(bench: Bench) -> None:
    """Two of its three pods are on the node that would be emptied: the pod on the other must stay."""
    await bench.create(a_node("gpu-2", gpus=4))
    await bench.create(a_deployment("held", 4))
    await bench.running("held")
    await bench.create(a_node("gpu-1"))
    await bench.shell(f"kubectl -n {bench.namespace} scale deployment/held --replicas=3")
    await bench.running("held", 3)
    await _waits(bench)


async def _last_of_a_stateful_set(bench: Bench) -> None:
    await bench.create(a_node("gpu-2", gpus=4))
    await bench.create(a_stateful_set("held", 4))
    await bench.running("held")
    await bench.create(a_node("gpu-1"))
    await bench.shell(f"kubectl -n {bench.namespace} scale statefulset/held --replicas=3")
    await bench.running("held", 3)
    await _waits(bench)


def _movable(make: object, **more: object) -> Act:
    """`held` fits on gpu-2 too, where only four are free: `glm` needs all of gpu-1."""

    async def build(bench: Bench) -> None:
        await bench.create(a_node("gpu-1"))
        await bench.create(make("held", 4, **more))  # type: ignore[operator]
        await bench.running("held")
        await bench.create(a_node("gpu-2", gpus=4))
        await _waits(bench)

    return build


async def _eight_small_ones(bench: Bench) -> None:
    """All eight pods of a deployment leave one node for another."""
    await bench.create(a_node("gpu-1"))
    await bench.create(a_deployment("held", 1, 8))
    await bench.running("held", 8)
    await bench.create(a_node("gpu-2", labels={"pool": "b"}))
    await bench.create(a_pod(WAITS, 8, nodeSelector={"kubernetes.io/hostname": "gpu-1"}))
    await bench.refused(WAITS)


async def _not_all_ready(bench: Bench) -> None:
    """A deployment whose third pod waits: scaling it down by one would end that pod, not the one that is in the way."""
    await bench.create(a_node("gpu-2", gpus=4))
    await bench.create(a_deployment("held", 4))
    await bench.running("held")
    await bench.create(a_node("gpu-1", gpus=4))
    await bench.shell(f"kubectl -n {bench.namespace} scale deployment/held --replicas=2")
    await bench.running("held", 2)
    await bench.shell(f"kubectl -n {bench.namespace} scale deployment/held --replicas=3")
    await bench.refused("held")
    await bench.create(a_pod(WAITS, 4, nodeSelector={"kubernetes.io/hostname": "gpu-1"}))
    await bench.refused(WAITS)


def rival(priority: int) -> Act:
    """Somebody else waits for the same eight."""

    async def build(bench: Bench) -> None:
        await bench.create(a_priority_class("urgent", priority) | {"preemptionPolicy": "Never"}, a_node("gpu-1"))
        await bench.create(a_pod("held", 8))
        await bench.running("held")
        await bench.create(a_pod("rival", 8, **({"priorityClassName": "urgent"} if priority else {})))
        await bench.refused("rival")
        await _waits(bench)

    return build


async def _leaving(bench: Bench) -> None:
    """Half of what it needs is on its way out, the other half is held."""
    await bench.create(a_node("gpu-1"), a_pod("gone", 4, annotations={STAYS: "yes"}), a_pod("held", 4))
    await bench.running("gone")
    await bench.running("held")
    await bench.delete("Pod", "gone", 3600)
    await _waits(bench)


async def _let_go(bench: Bench) -> None:
    await bench.delete("Pod", "gone", 0)


END = Expected("End ", to=("gpu-1",))
MOVE = Expected("Move ", to=("gpu-1",))
SCENARIOS = (
    Scenario("a lone pod holds them", _held_by(a_pod, 8), (END,)),
    Scenario("a job holds them", _held_by(a_job, 8), (END,)),
    Scenario("a job of two pods holds them", _held_by(a_job, 4, 2, count=2), (END,)),
    Scenario("a deployment holds them", _held_by(a_deployment, 8), (END,)),
    Scenario("a deployment of two pods holds them", _held_by(a_deployment, 4, 2, count=2), (END,)),
    Scenario("a stateful set holds them", _held_by(a_stateful_set, 4, 2, count=2), (END,)),
    Scenario("two owners hold them", _two_holders, (END,)),
    Scenario("a part of a deployment holds them", _part_of_a_deployment, (END,)),
    Scenario("the last pods of a stateful set hold them", _last_of_a_stateful_set, (END,)),
    Scenario("a deployment that fits elsewhere", _movable(a_deployment), (MOVE, FEWER)),
    Scenario("a stateful set that fits elsewhere", _movable(a_stateful_set), (MOVE, FEWER)),
    Scenario("a job that fits elsewhere", _movable(a_job), (MOVE, FEWER)),
    Scenario("a job that fits elsewhere but may not fail", _movable(a_job, backoff_limit=0), (END, FEWER)),
    Scenario("half of it is about to be free", _leaving, (Expected("End ", to=("gpu-1",), then=_let_go),)),
    Scenario("many small pods that fit elsewhere", _eight_small_ones, (MOVE,)),
    Scenario("a deployment one of whose pods waits", _not_all_ready, (END,)),
)
