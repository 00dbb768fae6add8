"""`/why` from a warm view of 5,000 nodes and 150,000 pods: one pod, all that wait, what would fit, what if.

Each question is about pods that fit nowhere, the dearest kind, and changes flow in between. CPU time is measured, from
the question to the explanation: nothing is waited for in between, so on a machine of its own that is how long it takes.
"Without remedies" is the short form that lists of many pods are made of: no tables, and only what is quickly tried.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import msgspec

from bot.adapters.cluster import kinds, memory
from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.policy import Policy
from bot.why.answering import Asked, answer
from bot.why.ask import case_of
from bot.why.explain import explain
from bot.why.overview import overview
from bot.why.question import Question, take_apart
from bot.why.subject import of_pod
from tests.bench import why_memory, why_peer
from tests.bench.figure import Figure, percentile, within
from tests.bench.why_pod import CHANGES, SPECS, changes, filled, pending

NOW = datetime(2026, 6, 1, tzinfo=UTC)
POLICY = Policy()
ROUNDS, ROUNDS_PENDING = 20, 8
GROUPS, PODS_PER_GROUP = 40, 50
MOST_MS, MOST_MS_WITH_REMEDIES, MOST_MS_PENDING = 50.0, 300.0, 500.0
PODS = ("plain", "spread, affinity", "preempting")
UNSCHEDULABLE = Condition(
    "PodScheduled", "False", "Unschedulable", "0/5000 nodes are available: 5000 Insufficient cpu."
)


def figures() -> list[Figure]:
    return [*_answers(), *why_memory.figures(), *why_peer.figures()]


def _answers() -> list[Figure]:
    view = filled()
    for kind in kinds.collect():
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    flow = changes(view)
    next(flow)
    memory.after_loading()
    found: list[Figure] = []
    for name in PODS:
        pod = _waiting(view, name)
        brief = _taken(view, flow, lambda pod=pod: _one(view, pod, brief=True), ROUNDS)  # type: ignore[misc]
        full = _taken(view, flow, lambda pod=pod: _one(view, pod, brief=False), ROUNDS)  # type: ignore[misc]
        found.append(_figure(f"/why POD: {name}, without remedies", brief, MOST_MS))
        found.append(_figure(f"/why POD: {name}, with remedies that were tried", full, MOST_MS_WITH_REMEDIES))
    found += _others(view, flow)
    for name in PODS:
        view.take("pods", f"team-0/{name.replace(', ', '-')}")
    _fill_queue(view)
    every = _taken(view, flow, lambda: _pending(view), ROUNDS_PENDING)
    waiting = f"/why pending: {GROUPS * PODS_PER_GROUP:,} pods in {GROUPS} groups"
    return [*found, _figure(waiting, every, MOST_MS_PENDING)]


def _figure(name: str, taken: list[float], most: float) -> Figure:
    return within(f"{name} (p50 {percentile(taken, 50):.0f} ms): p99 of CPU", percentile(taken, 99), "ms", most)


def _taken(view: View, flow: Iterator[Pod], ask: Callable[[], None], rounds: int) -> list[float]:
    """Milliseconds of CPU of each question."""
    ask()  # imports and tables
    found: list[float] = []
    for _ in range(rounds):
        for changed in itertools.islice(flow, CHANGES):
            view.put("pods", changed.key, changed)
        started = time.process_time()
        ask()
        found.append((time.process_time() - started) * 1000)
    return found


def _waiting(view: View, name: str) -> Pod:
    """One that its scheduler has turned down two days ago."""
    pod = pending(view, name, SPECS[name])
    told = msgspec.structs.replace(pod, conditions=(UNSCHEDULABLE,), created="2026-05-30T00:00:00Z")
    view.put("pods", told.key, told)
    return told


def _one(view: View, pod: Pod, *, brief: bool) -> None:
    told = explain(case_of(of_pod(pod), view, POLICY, NOW, brief=brief))
    if told.first is None:
        raise AssertionError(f"nothing was found about {pod.key}")


def _others(view: View, flow: Iterator[Pod]) -> Iterator[Figure]:
    """Before anything exists, and under other circumstances."""
    inventory = Inventory(view, POLICY)
    inventory.refresh()
    tainted = next(name for name, node in view.nodes.items() if node.taints and not node.unschedulable)
    asked = {
        "/why fits 8 gpus": Question(fits=8),
        "/why POD if …": take_apart(("plain", "if", "untaint", tainted, "reserved")),
    }
    for name, question in asked.items():
        ask = Asked(question, {}, view, inventory, NOW)
        yield _figure(name, _taken(view, flow, lambda ask=ask: _told(ask), ROUNDS), MOST_MS_WITH_REMEDIES)  # type: ignore[misc]


def _told(asked: Asked) -> None:
    if answer(asked) is None:
        raise AssertionError("no answer")


def _fill_queue(view: View) -> None:
    """Jobs whose pods ask for different amounts, so that no two groups are one."""
    model = _waiting(view, "plain")
    view.take("pods", model.key)
    for group, number in itertools.product(range(GROUPS), range(PODS_PER_GROUP)):
        name, job = f"job-{group}-{number}", f"job-{group}"
        asked = {**model.requests, "cpu": 1000 + group}
        pod = msgspec.structs.replace(model, name=name, uid=name, owner=Owner("Job", job, job), requests=asked)
        view.put("pods", pod.key, pod)


def _pending(view: View) -> None:
    told = overview(view, POLICY, NOW)
    if told.pods != GROUPS * PODS_PER_GROUP or told.more:
        raise AssertionError(f"{told.pods} pods in {len(told.lines)} lines")


if __name__ == "__main__":
    for each in figures():
        print(each)
