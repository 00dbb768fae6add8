"""`pending`: everything that does not run, one line for each owner and cause, what waits longest first.

500 replicas of one job are one line. Pods of one owner that ask alike are explained once, by the one that waits most.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.domain.evidence import NO_EVIDENCE, Evidence, Wanted
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.owners import top_owner
from bot.gpu.policy import Policy
from bot.scheduling.state import State
from bot.why.above import topmost
from bot.why.ask import case_of
from bot.why.ask import to_look_up as looked_up
from bot.why.explain import Explanation, explain
from bot.why.podless import in_line
from bot.why.standing import rank
from bot.why.subject import Subject, of_pod, of_thing

LOOKED_AT = 8  # groups whose pods and logs are looked up: the others are told from the view alone
EXPLAINED = 60
TRIED_ON = 20_000  # nodes times groups: up to so many all that could help is tried, beyond only what is tried quickly
START_SECONDS = 120  # a pod that was bound so recently is starting, which nobody asks about
MAKERS = ("replicasets", "statefulsets", "jobs")


@dataclass(frozen=True, slots=True)
class Line:
    """One owner's pods with one cause. `gpus` is what they ask for together."""

    owner: str
    pods: int
    gpus: int
    oldest: str
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class Overview:
    """`more`: groups that were not explained, for their number. `pods`: all pods that do not run."""

    lines: tuple[Line, ...]
    pods: int
    more: int
    waiting: int


def overview(
    view: View, policy: Policy, now: datetime, evidence: Evidence = NO_EVIDENCE, namespace: str = ""
) -> Overview:
    """Of one namespace where it is named."""
    found = groups(view, now, namespace)
    state = State(view)
    lines: list[Line] = []
    brief = len(view.nodes) * min(len(found), EXPLAINED) > TRIED_ON
    for key, pods in found[:EXPLAINED]:
        case = case_of(of_pod(pods[0]), view, policy, now, evidence, state, brief=brief)
        lines.append(_line(key, pods, explain(case)))
    for thing in (*_podless(view, namespace), *in_line(view, namespace)):
        explanation = explain(case_of(of_thing(view, thing), view, policy, now, evidence, state))
        if explanation.first is not None:
            lines.append(Line(thing.key, 0, 0, thing.created, explanation))
    lines = _merged(lines)
    every = [pod for _, pods in found for pod in pods]
    return Overview(tuple(lines), len(every), max(0, len(found) - EXPLAINED), sum(1 for pod in every if not pod.node))


def to_look_up(view: View, policy: Policy, now: datetime, namespace: str = "") -> Wanted:
    """For the groups that wait longest."""
    subjects: list[Subject] = [of_pod(pods[0]) for _, pods in groups(view, now, namespace)[:LOOKED_AT] if pods[0].node]
    return sum((looked_up(one, view, policy, now) for one in subjects), Wanted())


def groups(view: View, now: datetime, namespace: str = "") -> list[tuple[str, list[Pod]]]:
    """Pods that do not run, by owner and what they ask for, oldest first inside and between groups."""
    grouped: dict[tuple[object, ...], list[Pod]] = defaultdict(list)
    for pod in _not_running(view, namespace):
        kind, name = top_owner(view, pod)
        scheduling = () if pod.node else (id(pod.spec), tuple(sorted(pod.requests.items())), bool(pod.volumes))
        state = rank(pod)[0], pod.states[0].waiting if pod.states else "", pod.reason
        grouped[(pod.namespace, kind, name, *scheduling, *state)].append(pod)
    found = []
    for key, pods in grouped.items():
        pods.sort(key=lambda pod: (pod.created, pod.key))
        found.append((f"{key[0]}/{key[2]}", pods))
    return sorted(found, key=lambda pair: (pair[1][0].created or "~", pair[0], pair[1][0].key))


def _not_running(view: View, namespace: str) -> Iterator[Pod]:
    """Those that wait, and of those with a node the ones that fail or do not start."""
    for pod in view.waiting:
        if namespace in ("", pod.namespace):
            yield pod
    for pod in view.ailing:
        if namespace in ("", pod.namespace) and 1 <= rank(pod)[0] <= 3 and not _made_up_for(view, pod):
            yield pod


def _made_up_for(view: View, pod: Pod) -> bool:
    """A failed try of a job that has completed since."""
    if pod.phase != "Failed" or pod.owner is None or pod.owner.kind != "Job":
        return False
    job = view.jobs.get(f"{pod.namespace}/{pod.owner.name}")
    return job is not None and job.fields.condition("Complete").text("status") == "True"


def _podless(view: View, namespace: str) -> Iterator[Thing]:
    """Owners that want pods and do not get them made, each once, by the name that people know."""
    found: dict[str, Thing] = {}
    for table in MAKERS:
        for thing in view.things(table).values():
            if namespace in ("", thing.namespace) and _lacks(table, thing):
                top = topmost(view, thing.owner, thing.namespace) or thing
                found.setdefault(f"{top.kind} {top.key}", top)
    yield from found.values()


def _lacks(table: str, thing: Thing) -> bool:
    fields = thing.fields
    if table == "jobs":
        return fields.flag("spec", "suspend") is True
    return (fields.number("spec", "replicas") or 0) > (fields.number("status", "replicas") or 0)


def _line(owner: str, pods: list[Pod], explanation: Explanation) -> Line:
    gpus = sum(value for pod in pods for name, value in pod.requests.items() if "/" in name)
    return Line(owner, len(pods), gpus, pods[0].created, explanation)


def _merged(lines: list[Line]) -> list[Line]:
    """Groups of one owner with one cause are one line."""
    found: dict[tuple[str, str], Line] = {}
    for one in lines:
        key = (one.owner, one.explanation.id)
        first = found.get(key)
        found[key] = (
            one
            if first is None
            else Line(
                first.owner,
                first.pods + one.pods,
                first.gpus + one.gpus,
                min(first.oldest, one.oldest),
                first.explanation,
            )
        )
    return sorted(found.values(), key=lambda one: (one.oldest or "~", one.owner))
