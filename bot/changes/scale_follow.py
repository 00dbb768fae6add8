"""After a number of replicas was set: each pod's way until it is Ready, or who has set another number."""

from collections.abc import Iterator
from datetime import datetime

from bot.changes.kind import Phase, Progress
from bot.domain.change import Plan
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.domain.words import count, duration
from bot.gpu.policy import Policy
from bot.scaling.forms import FORMS, replicas_of, typed
from bot.scaling.standing import Standing, standing
from bot.why.rolling import well

SHOWN = 8
CRASHES = 3
PLACELESS_SECONDS = 20 * 60  # autoscalers of nodes need up to a quarter of an hour
SEEN_SECONDS = 30  # until a view shows what was done


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    kind, namespace, name = (plan.arguments[one] for one in ("kind", "namespace", "name"))
    wanted = int(plan.arguments["replicas"])
    thing = view.thing(kind, namespace, name)
    passed = (now - applied_at).total_seconds()
    if thing is None:
        return Progress(Phase.FAILED, f"{kind.lower()} {namespace}/{name} is gone from the cluster.")
    found = replicas_of(thing)
    if found != wanted:
        if passed < SEEN_SECONDS and found == _before(plan):
            return Progress(Phase.GOING, f"The API server has taken it; {thing.title} does not show it yet.")
        return Progress(Phase.FAILED, f"Somebody else has set {thing.key} to {found} since.", subject=typed(thing))
    there = standing(view, Policy(), thing, now)
    return _grown(there, wanted, passed) if wanted >= _before(plan) else _shrunk(there, wanted)


def _before(plan: Plan) -> int:
    value = next((one for step in plan.steps for one in step.before.values()), 0)
    return value if isinstance(value, int) else 0


def _grown(there: Standing, wanted: int, passed: float) -> Progress:
    thing, ready = there.thing, there.ready
    unit = FORMS[thing.kind].unit
    open_ones = [pod for pod in there.pods if not well(pod)]
    lines = tuple(_lines(open_ones))
    if ready >= wanted:
        return Progress(Phase.DONE, f"{thing.key} has {wanted} of {count(wanted, unit)} ready.")
    crashing = [pod for pod in open_ones if any(one.restarts >= CRASHES for one in pod.states)]
    sentence = f"{ready} of {count(wanted, unit)} of {thing.key} are ready{_made(there, wanted)}."
    if crashing:
        return Progress(Phase.FAILED, f"{sentence} {crashing[0].name} crashes again and again.", lines, crashing[0].key)
    placeless = [pod for pod in open_ones if not pod.node]
    if placeless and passed > PLACELESS_SECONDS:
        told = f"{sentence} {placeless[0].name} has found no place for {duration(passed)}."
        return Progress(Phase.FAILED, told, lines, placeless[0].key)
    return Progress(Phase.GOING, sentence, lines, typed(thing))


def _made(there: Standing, wanted: int) -> str:
    missing = wanted * there.size - len(there.pods)
    return f", {count(missing, 'pod')} not made yet" if missing > 0 else ""


def _shrunk(there: Standing, wanted: int) -> Progress:
    thing: Thing = there.thing
    left = len(there.case.subject.pods)
    if left <= wanted * there.size:
        return Progress(Phase.DONE, f"{thing.key} has {count(wanted, FORMS[thing.kind].unit)} left.")
    ending = [pod for pod in there.case.subject.pods if pod.deleted]
    lines = tuple(f"{pod.name} ends" for pod in sorted(ending, key=lambda one: natural(one.name))[:SHOWN])
    return Progress(Phase.GOING, f"{left - wanted * there.size} more pods of {thing.key} have to end.", lines)


def _lines(pods: list[Pod]) -> Iterator[str]:
    ordered = sorted(pods, key=lambda pod: natural(pod.name))
    for pod in ordered[:SHOWN]:
        yield f"{pod.name}: {_phase(pod)}"
    if len(ordered) > SHOWN:
        yield f"and {len(ordered) - SHOWN} more"


def _phase(pod: Pod) -> str:
    """Scheduled, pulling, loading: by what the kubelet says of its containers."""
    if not pod.node:
        return "waits for a node"
    waiting = next((one.waiting for one in pod.states if one.waiting), "")
    if waiting in ("", "PodInitializing", "ContainerCreating") and pod.phase == "Pending":
        return f"on {pod.node}, its volumes and image are brought"
    if waiting:
        return f"on {pod.node}, {waiting}"
    return f"on {pod.node}, it loads"
