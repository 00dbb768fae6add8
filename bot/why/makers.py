"""Controllers that make pods, above a pod or below an owner: how many they want, which they have, what they were told.

Deployment → ReplicaSets    CronJob, JobSet → Jobs    LeaderWorkerSet → StatefulSets    DaemonSet
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.event import Event
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.case import Case

BELOW = {
    "Deployment": ("replicasets",),
    "CronJob": ("jobs",),
    "JobSet": ("jobs",),
    "LeaderWorkerSet": ("statefulsets",),
    "ReplicaSet": (),
    "Job": (),
    "StatefulSet": (),
    "DaemonSet": (),
}
ANY = ("deployments", "statefulsets", "jobs")  # below owners of kinds that are not known here
MAKING = frozenset({"ReplicaSet", "Job", "StatefulSet", "DaemonSet"})
FAILED = frozenset({"FailedCreate", "ReplicaSetCreateError", "JobCreationFailed"})
MADE = frozenset({"SuccessfulCreate"})
DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Maker:
    """`wanted` is how many pods it wants now; None where it does not say. `pods`: all of its own, finished ones too."""

    thing: Thing
    fields: Fields
    pods: tuple[Pod, ...]
    wanted: int | None

    @property
    def present(self) -> int:
        """Pods that count: not finished, not on their way out."""
        return sum(1 for pod in self.pods if not pod.finished and not pod.deleted)

    @property
    def missing(self) -> int:
        return max(0, (self.wanted or 0) - self.present)


@dataclass(frozen=True, slots=True)
class Failure:
    """The newest word that a pod could not be made. `event` is None where only a condition says so."""

    message: str
    time: str
    event: Event | None = None


def makers(case: Case) -> tuple[Maker, ...]:
    """All controllers around the subject, the topmost first."""
    found = {one.key + one.kind: one for one in reversed(case.owners)}
    for top in tuple(found.values()):
        found |= {one.key + one.kind: one for one in _below(case.view, top, 0)}
    return tuple(_maker(case, one) for one in found.values())


def children(view: View, thing: Thing) -> Iterator[Thing]:
    """Controllers that it owns itself."""
    for table in BELOW.get(thing.kind, ANY):
        for one in view.things(table).values():
            if one.owner is not None and one.namespace == thing.namespace and is_owner(one.owner, thing):
                yield one


def is_owner(owner: Owner, thing: Thing) -> bool:
    """Objects from files may have no uid: then kind and name tell."""
    if owner.uid and thing.uid:
        return owner.uid == thing.uid
    return (owner.kind, owner.name) == (thing.kind, thing.name)


def pods_under(view: View, thing: Thing) -> tuple[Pod, ...]:
    """The pods that it owns itself, the oldest first."""
    found = view.pods_by_owner.get(thing.uid, ()) if thing.uid else ()
    loose = (pod for pod in view.pods_by_owner.get("", ()) if pod.namespace == thing.namespace and pod.owner)
    named = (pod for pod in loose if pod.owner and is_owner(pod.owner, thing))
    return tuple(sorted({*found, *named}, key=lambda pod: (pod.created, pod.name)))


def failure(case: Case, maker: Maker) -> Failure | None:
    """Why it cannot make a pod now. A failure that is over, because the pods are there, is none."""
    if maker.wanted is not None and not maker.missing:
        return None
    events = case.events_on(maker.thing)
    event = next((one for one in events if one.reason in FAILED), None)
    made = next((one.time for one in events if one.reason in MADE), "")
    if event is not None and (event.time >= made if maker.wanted is not None else event.time > made):
        return Failure(event.message, event.time, event)
    condition = maker.fields.condition("ReplicaFailure")
    if condition.text("status") == "True" and condition.text("message"):
        return Failure(condition.text("message"), condition.text("lastTransitionTime"))
    return None


def _below(view: View, thing: Thing, depth: int) -> Iterator[Thing]:
    if depth < DEEPEST:
        for one in children(view, thing):
            yield one
            yield from _below(view, one, depth + 1)


def _maker(case: Case, thing: Thing) -> Maker:
    fields = case.fields(thing)
    return Maker(thing, fields, pods_under(case.view, thing), _wanted(thing, fields))


def _wanted(thing: Thing, fields: Fields) -> int | None:
    """None for controllers that make no pods themselves, and for those whose numbers cannot be read."""
    if thing.kind not in MAKING or thing.api_version.startswith("batch.volcano.sh"):
        return None
    if thing.deleted or not fields:
        return 0
    if thing.kind == "DaemonSet":
        return fields.number("status", "desiredNumberScheduled")
    if thing.kind == "Job":
        return _of_job(fields)
    replicas = fields.number("spec", "replicas")
    return 1 if replicas is None else replicas


def _of_job(fields: Fields) -> int:
    over = any(fields.condition(kind).text("status") == "True" for kind in ("Complete", "Failed", "FailureTarget"))
    if over or fields.flag("spec", "suspend"):
        return 0
    at_once = fields.number("spec", "parallelism")
    completions = fields.number("spec", "completions")
    wanted = 1 if at_once is None else at_once
    return (
        wanted
        if completions is None
        else max(0, min(wanted, completions - (fields.number("status", "succeeded") or 0)))
    )
