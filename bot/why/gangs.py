"""Gangs of the coscheduling plugin and of kube-scheduler itself: all members or none.

kubernetes-sigs/scheduler-plugins:pkg/coscheduling/core/core.go; kubernetes/kubernetes: releases 1.35 (spec.workloadRef)
and 1.36 (spec.schedulingGroup), pkg/scheduler/framework/plugins/gangscheduling.
"""

import re
from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.words import count
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.gang_places import no_room, places
from bot.why.shell import kubectl, quoted

QUIET_SECONDS = 60
_MIN_COUNT = Pattern(
    r"minCount \((?P<least>\d{1,6})\) cannot be satisfied: (?P<placed>\d{1,6}) scheduled, (?P<rest>\d{1,6}) remaining"
)
_SIBLINGS = Pattern(
    r"enough sibling pods, current pods number: (?P<there>\d{1,6}), minMember of group: (?P<least>\d{1,6})"
)
_NO_ROOM = ("pod group is unschedulable", "pod group is waiting for preemption")
BY_GROUP = ("PodGroup", "podGroup", "Coscheduling", "sibling", "waiting on permit")
LABELS = ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io")


def coscheduled(case: Case) -> Iterator[Finding]:
    """The pod group that the pod names in its label."""
    pod = case.pod
    name = next((pod.labels[label] for label in LABELS if label in pod.labels), "") if pod else ""
    if pod is None or not name:
        return
    mine = [one for one in case.view.pods.values() if one.namespace == pod.namespace and _is_member(one, name)]
    if not case.view.knows("coschedulinggroups"):
        if said := _SIBLINGS.search(_message(pod)):
            yield _too_few(pod, name, int(said["there"]), int(said["least"]))
        return
    group = case.view.things("coschedulinggroups").get(f"{pod.namespace}/{name}")
    if group is None:
        yield _no_group(pod, name)
        return
    least = case.fields(group).number("spec", "minMember") or 0
    if len(mine) < least:
        yield _too_few(pod, name, len(mine), least)
    else:
        yield from _culprit(case, pod, name, mine, least)


def _message(pod: Pod) -> str:
    told = pod.condition("PodScheduled")
    return told.message[:2000] if told is not None else ""


def _is_member(pod: Pod, name: str) -> bool:
    return not pod.finished and any(pod.labels.get(label) == name for label in LABELS)


def _no_group(pod: Pod, name: str) -> Finding:
    return Finding(
        "groups.no-pod-group",
        f"it names pod group `{name}`, and no PodGroup of that name exists in {pod.namespace}",
        remedies=(
            Remedy("See which there are", kubectl("get", "podgroups.scheduling.x-k8s.io", namespace=pod.namespace)),
        ),
        useless=("More nodes do not help: the scheduler waits for the group itself.",),
    )


def _too_few(pod: Pod, name: str, there: int, least: int) -> Finding:
    return Finding(
        "groups.too-few-members",
        f"its pod group `{name}` needs {count(least, 'pod')} and {'has' if there else 'there are'} {there}: none is "
        "placed before all exist",
        remedies=(
            Remedy(
                f"See why {count(least - there, 'pod')} {'is' if least - there == 1 else 'are'} missing",
                kubectl("get", "pods", "-l", f"{LABELS[0]}={name}", namespace=pod.namespace),
            ),
            Remedy("Or lower the group's minMember", verified=False),
        ),
        useless=("More nodes do not help while members are missing.",),
        weight=2,
    )


def _culprit(case: Case, pod: Pod, name: str, mine: list[Pod], least: int) -> Iterator[Finding]:
    """There is no room for all, or another member that no node takes is what all of them wait for."""
    if (short := places(case, mine)) is not None and short.placed < least:
        yield no_room(case, short, name, least)
        return
    bad = [one for one in mine if one.key != pod.key and not one.node and _refused(one)]
    if not bad or not _by_group(pod):
        return
    told = bad[0].condition("PodScheduled")
    yield Finding(
        "groups.culprit",
        f"its group `{name}` is placed as a whole ({least} pods), and no node takes `{bad[0].name}`",
        evidence=(f"{bad[0].name}: {quoted(told.message)}",) if told else (),
        remedies=(Remedy(f"Ask for that pod: `why {bad[0].key}`"),),
    )


def _by_group(pod: Pod) -> bool:
    """Whether the plugin turned it away for the others' sake: the message counts one node then."""
    return any(word in _message(pod) for word in BY_GROUP)


def _refused(pod: Pod) -> bool:
    told = pod.condition("PodScheduled")
    return told is not None and told.reason == "Unschedulable" and not _by_group(pod)


def native(case: Case) -> Iterator[Finding]:
    """Of kube-scheduler's own gangs only the pod and the scheduler's words are at hand: the group is read by nobody."""
    pod = case.pod
    name = case.detail.text("spec", "schedulingGroup", "podGroupName") or case.detail.text(
        "spec", "workloadRef", "name"
    )
    if not name or pod is None:
        return
    told = pod.condition("PodScheduled")
    message = told.message if told else ""
    short = places(case, _siblings(case)) if message else None
    if found := _MIN_COUNT.search(message[:2000]):
        yield _no_room_for_all(name, found, message)
        if short is not None and short.kept_away:
            yield no_room(case, short, name, int(found["least"]), Level.ROOT)
    elif any(word in message for word in _NO_ROOM):
        yield _as_a_whole(name, message)
        if short is not None:
            yield no_room(case, short, name, short.members, Level.ROOT)
    elif told is None and (case.age_seconds(pod.created) or 0) > QUIET_SECONDS:
        yield _not_tried(case, pod, name)
    else:
        evidence = (f"the scheduler says {quoted(message)}",) if message else ()
        yield Finding(
            "groups.gang", f"It is placed together with its gang `{name}` or not at all", Level.NOTE, evidence=evidence
        )


def _no_room_for_all(name: str, found: re.Match[str], message: str) -> Finding:
    return Finding(
        "groups.gang",
        f"its gang `{name}` needs {found['least']} pods placed at once; {found['placed']} have a place and "
        f"{found['rest']} more could be tried",
        evidence=(f"the scheduler says {quoted(message)}",),
        useless=("Room for this pod alone does not help: all of the gang are placed, or none.",),
    )


def _as_a_whole(name: str, message: str) -> Finding:
    waits = "preemption" in message
    return Finding(
        "groups.gang",
        f"its gang `{name}` is placed as a whole, and "
        + ("pods of lower priority are being evicted for it" if waits else "the scheduler finds no room for all of it"),
        evidence=(f"the scheduler says {quoted(message)}",),
        useless=("Room for this pod alone does not help: all of the gang are placed, or none.",),
        until="those pods are gone" if waits else "",
    )


def _not_tried(case: Case, pod: Pod, name: str) -> Finding:
    siblings = _siblings(case)
    return Finding(
        "groups.gang-not-tried",
        f"the scheduler has not tried to place it and says nothing: it waits for the rest of gang `{name}`, or for the "
        f"group itself, to exist ({count(len(siblings), 'pod')} of its controller "
        f"{'exists' if len(siblings) == 1 else 'exist'})",
        remedies=(
            Remedy(
                "See whether the group exists, and how many pods it needs (minCount)",
                kubectl(
                    "get",
                    "podgroups.scheduling.k8s.io,workloads.scheduling.k8s.io",
                    "-o",
                    "yaml",
                    namespace=pod.namespace,
                ),
            ),
        ),
        useless=("More nodes do not help while members or their group are missing.",),
        unknown=(f"the gang `{name}` itself: gpubot does not read this kind",),
        weight=2,
    )


def _siblings(case: Case) -> list[Pod]:
    """Pods of the same controller: a pod's group stands in no label."""
    owner = case.pod.owner if case.pod else None
    found = case.view.pods_by_owner.get(owner.uid, set()) if owner and owner.uid else {case.pod} - {None}
    return sorted((one for one in found if one is not None and not one.finished), key=lambda one: one.name)
