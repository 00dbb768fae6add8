"""Cases for `/why glm if …`: what is tried on a copy of the cluster, and the same thing done to the cluster itself."""

from __future__ import annotations

from dataclasses import dataclass

from bot.why.trial import Trial
from tests.why.applying.bench import Bench
from tests.why.applying.own_spec import HIGH
from tests.why.applying.scenario import WAITS, Act, anew
from tests.why.applying.things import (
    DEDICATED,
    PRODUCT,
    a_deployment,
    a_job,
    a_node,
    a_pod,
    a_priority_class,
    a_stateful_set,
)

TOLERATED = {"key": "dedicated", "operator": "Equal", "value": "training", "effect": "NoSchedule"}


@dataclass(frozen=True)
class Case:
    """`words` follow `if`; `act` does what they say. `fits`: whether the pod has a place then."""

    title: str
    build: Act
    words: str
    act: Act
    fits: bool = True


def promised(trial: Trial) -> set[str]:
    """Where the pod may go: the nodes where it fits; the one where others are evicted for it, where it fits nowhere."""
    preemption = trial.verdict.preemption if trial.verdict else None
    return set(trial.fits) or ({preemption.node} if preemption else set())


async def agrees(bench: Bench, case: Case) -> None:
    await case.build(bench)
    told = promised(await bench.what_if(f"{WAITS} if {case.words}"))
    assert bool(told) == case.fits
    await case.act(bench)
    if case.fits:
        assert set(await bench.placed(WAITS)) <= told
    else:
        await bench.refused(WAITS)


async def _fleet(bench: Bench) -> None:
    """A full node, a cordoned one, one set apart, one of another product; two jobs and two services on the full one."""
    await bench.create(a_priority_class(HIGH, 100_000), a_node("gpu-1", labels={PRODUCT: "H200", "pool": "a"}))
    await bench.create(a_job("train", 2), a_deployment("web", 2), a_stateful_set("db", 2), a_pod("note", 2))
    for app in ("train", "web", "db", "note"):
        await bench.running(app)
    await bench.create(a_node("gpu-2", labels={PRODUCT: "H200", "pool": "a"}, cordoned=True))
    await bench.create(a_node("gpu-3", labels={PRODUCT: "H200", "pool": "a"}, taints=[DEDICATED]))
    await bench.create(a_node("gpu-4", 2, labels={PRODUCT: "H100", "pool": "b"}))
    await bench.create(a_pod(WAITS, 4, nodeSelector={"pool": "a"}))
    await bench.refused(WAITS)


def _run(*commands: str) -> Act:
    async def act(bench: Bench) -> None:
        for command in commands:
            await bench.shell(command.format(space=bench.namespace))

    return act


async def _another(bench: Bench) -> None:
    """Under the name that the copy gave it."""
    await bench.create(a_node("new-1-like-gpu-1", labels={PRODUCT: "H200", "pool": "a"}))


CASES = (
    Case("a cordoned node", _fleet, "uncordon gpu-2", _run("kubectl uncordon gpu-2")),
    Case("a taint of a node", _fleet, "untaint gpu-3 dedicated", _run("kubectl taint node gpu-3 dedicated-")),
    Case("both", _fleet, "uncordon gpu-2 and untaint gpu-3 dedicated", _run(
        "kubectl taint node gpu-3 dedicated-", "kubectl uncordon gpu-2",
    )),
    Case("a toleration", _fleet, "tolerate dedicated",
         anew(a_pod, 4, nodeSelector={"pool": "a"}, tolerations=[{"key": "dedicated", "operator": "Exists"}])),
    Case("a toleration of a value", _fleet, "tolerate dedicated=training:NoSchedule",
         anew(a_pod, 4, nodeSelector={"pool": "a"}, tolerations=[TOLERATED])),
    Case("a toleration of another value", _fleet, "tolerate dedicated=serving",
         anew(a_pod, 4, nodeSelector={"pool": "a"}, tolerations=[{**TOLERATED, "value": "serving"}]), fits=False),
    Case("fewer GPUs", _fleet, "request 2 gpus", anew(a_pod, 2, nodeSelector={"pool": "a"}), fits=False),
    Case("fewer GPUs and no selector", _fleet, "request 2 gpus and drop selector pool", anew(a_pod, 2)),
    Case("one label less", _fleet, "drop selector pool", anew(a_pod, 4), fits=False),
    Case("a job's end", _fleet, "ends job/train", _run("kubectl -n {space} delete job train"), fits=False),
    Case("the end of two", _fleet, "ends job/train and ends deployment/web", _run(
        "kubectl -n {space} delete job train", "kubectl -n {space} delete deployment web",
    )),
    Case("the end of a pod and a stateful set", _fleet, "ends note and ends statefulset/db", _run(
        "kubectl -n {space} delete statefulset/db pod/note",
    )),
    Case("another node", _fleet, "add node like gpu-1", _another),
    Case("a node like one that is set apart", _fleet, "add node like gpu-3", _run("true"), fits=False),
    Case("a higher priority", _fleet, f"priority {HIGH}",
         anew(a_pod, 4, nodeSelector={"pool": "a"}, priorityClassName=HIGH)),
)  # fmt: skip
