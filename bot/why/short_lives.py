"""A pod that was scaled away before it was ever ready: its events put together, by their times.

An autoscaler that may go to zero counts quiet time from the start, and a GPU node, an image and weights need longer
than that. The pod is gone, so only events tell: made, not placed, a node being started for it, deleted, the node
ready.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.thing import Thing
from bot.domain.time import read_time
from bot.domain.words import duration
from bot.why.autoscalers import KNATIVE, KNATIVE_SERVICE, KSERVE, Autoscaler
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.makers import children
from bot.why.shell import patch

NODE_WAIT_SECONDS = 1_800  # a node that comes later than this was not started for that pod
LONGEST_SECONDS = 3_600
SAMPLE_WINDOW_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Life:
    """`made` and `ended` are event times; `started`: its containers ran. `node`: what came up for it, too late."""

    pod: str
    made: str
    ended: str
    seconds: float
    started: bool
    asked_node: str
    node: str
    node_ready: str


def too_short_a_life(case: Case, target: Thing, found: list[Autoscaler]) -> Finding | None:
    """The newest pod of the target, where scale to zero took it before it was ready; None where no event says so."""
    life = _last_life(case, target)
    owner = next((one for one in found if one.to_zero), None)
    unread = case.not_read("scaledobjects", "knativeautoscalers")
    serverless = KSERVE in target.labels or KNATIVE_SERVICE in target.labels
    if life is None or not (owner or serverless or (unread and life.asked_node)):
        return None  # a hand may scale down whenever it likes
    late = _seconds(life.ended, life.node_ready) if life.node else None
    node = f"; the node that was started for it, {life.node}, was ready only {duration(late)} later" if late else ""
    state = "before it was ready" if life.started else "while it was still Pending"
    needed = max(SAMPLE_WINDOW_SECONDS, int(life.seconds + (late or 0)) * 2)
    return Finding(
        "autoscaled.too-soon",
        f"scale to zero took its pod away after {duration(life.seconds)}, {state}, so it was never ready{node}",
        evidence=tuple(_timeline(life, owner)),
        remedies=tuple(_remedies(case, target, owner, needed)),
        useless=("More nodes do not help: each try starts one and ends before it can be used",),
        unknown=() if owner else unread,
    )


def _last_life(case: Case, target: Thing) -> Life | None:
    """By the controllers' events; a pod that was ready once leaves no event that says so, but probes that failed do."""
    for maker in (target, *children(case.view, target)):
        events = case.events_on(maker)
        ended = next((one for one in events if one.reason == "SuccessfulDelete"), None)
        name = _pod_of(ended) if ended else ""
        made = next((one for one in events if one.reason == "SuccessfulCreate" and _pod_of(one) == name), None)
        if ended is None or made is None or not name:
            continue
        lived = _seconds(made.time, ended.time)
        about = case.view.events_on("Pod", target.namespace, name)
        if lived is not None and 0 < lived < LONGEST_SECONDS and about and not _was_ready(about, ended.time):
            return _life(case, name, made.time, ended.time, lived, about)
    return None


def _life(case: Case, name: str, made: str, ended: str, lived: float, about: list[Event]) -> Life:
    asked = next((one.time for one in about if one.reason in ("TriggeredScaleUp", "Nominated")), "")
    node, ready = _node_after(case, asked) if asked else ("", "")
    late = bool(node) and ready > ended
    started = any(one.reason == "Started" for one in about)
    return Life(name, made, ended, lived, started, asked, node if late else "", ready if late else "")


def _was_ready(about: list[Event], ended: str) -> bool:
    """It ran, and no probe failed shortly before its end."""
    if not any(one.reason == "Started" for one in about):
        return False
    failed = max((one.time for one in about if one.reason == "Unhealthy"), default="")
    seconds = _seconds(failed, ended) if failed else None
    return seconds is None or seconds > 60


def _node_after(case: Case, asked: str) -> tuple[str, str]:
    """The first node that became ready after somebody asked for one; its name and the time."""
    ready = sorted(
        (one.time, one.about_name)
        for one in case.view.events.values()
        if one.reason == "NodeReady" and one.about_kind == "Node" and one.time >= asked
    )
    ready += sorted((node.created, node.name) for node in case.view.nodes.values() if node.created >= asked)
    for time, name in ready:
        seconds = _seconds(asked, time)
        if seconds is not None and seconds < NODE_WAIT_SECONDS:
            return name, time
    return "", ""


def _timeline(life: Life, owner: Autoscaler | None) -> Iterator[str]:
    yield f"{life.made[11:19]} pod `{life.pod}` made"
    if life.asked_node:
        yield f"{life.asked_node[11:19]} a node is started for it"
    yield f"{life.ended[11:19]} scaled down to 0, the pod is deleted"
    if life.node:
        yield f"{life.node_ready[11:19]} node {life.node} is Ready, with nothing left to run on it"
    if owner is not None:
        yield f"{owner.title}: minimum {owner.least}, quiet time until it scales down {owner.window or 'not told'}"


def _remedies(case: Case, target: Thing, owner: Autoscaler | None, needed: int) -> Iterator[Remedy]:
    cost = "holds its GPUs also without traffic, until the minimum is set back to 0"
    if isvc := target.labels.get(KSERVE):
        change = '{"spec":{"predictor":{"minReplicas":1}}}'
        yield Remedy(
            "Keep one replica (`minReplicas: 1`), at least until it has been ready once",
            patch("inferenceservice", isvc, change, namespace=target.namespace),
            cost=cost,
        )
    elif service := target.labels.get(KNATIVE_SERVICE):
        yield Remedy(
            "Keep one replica (`min-scale: 1`), at least until it has been ready once",
            patch("ksvc", service, _annotation("min-scale", "1"), namespace=target.namespace),
            cost=cost,
        )
    elif owner is not None and owner.sort == "KEDA":
        for words, change in (
            ("Keep one replica (`minReplicaCount: 1`)", '{"spec":{"minReplicaCount":1}}'),
            (f"Or a longer window: `cooldownPeriod: {needed}`", f'{{"spec":{{"cooldownPeriod":{needed}}}}}'),
        ):
            yield Remedy(words, patch("scaledobject", owner.thing.name, change, namespace=target.namespace))
    else:
        yield Remedy("Keep at least one replica (minReplicas 1) in whatever scales it, until it has been ready once")
    if owner is None or owner.sort == "Knative":
        service = target.labels.get(KNATIVE_SERVICE, "")
        change = _annotation("scale-to-zero-pod-retention-period", f"{needed}s")
        yield Remedy(
            f"Or a longer window than node start plus model load: at least {duration(needed)}",
            patch("ksvc", service, change, namespace=target.namespace)
            if service and not target.labels.get(KSERVE)
            else "",
        )


def _annotation(name: str, value: str) -> str:
    annotations = {f"{KNATIVE}/{name}": value}
    return json.dumps({"spec": {"template": {"metadata": {"annotations": annotations}}}})


def _pod_of(event: Event) -> str:
    """`Created pod: x`, `Deleted pod: x`, `delete Pod x in StatefulSet y successful`."""
    words = event.message.split()
    if ": " in event.message:
        return words[-1]
    return words[2] if len(words) > 2 and words[1] == "Pod" else ""


def _seconds(early: str, late: str) -> float | None:
    first, last = read_time(early), read_time(late)
    return None if first is None or last is None else (last - first).total_seconds()
