"""Volcano's PodGroup behind a pod or a job, its queue, and what the queue has left.

volcano-sh/apis:pkg/apis/scheduling/v1beta1; volcano-sh/volcano:pkg/scheduler/plugins/capacity/capacity.go.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.why.amounts import amounts_of
from bot.why.case import Case

ANNOTATION = "scheduling.k8s.io/group-name"
VOLCANO = "scheduling.volcano.sh"
DEEPEST = 8


@dataclass(frozen=True, slots=True)
class VolcanoGroup:
    thing: Thing
    fields: Fields

    @property
    def queue(self) -> str:
        return self.fields.text("spec", "queue") or "default"

    @property
    def phase(self) -> str:
        return self.fields.text("status", "phase")

    @property
    def asks(self) -> dict[str, int]:
        return amounts_of(self.fields.map("spec", "minResources"))

    @property
    def members(self) -> int:
        return self.fields.number("spec", "minMember") or 0


@dataclass(frozen=True, slots=True)
class VolcanoQueue:
    """`capability` is the most it may use of what it lists; `allocated` what is used."""

    thing: Thing
    fields: Fields

    @property
    def capability(self) -> dict[str, int]:
        return amounts_of(self.fields.map("spec", "capability"))

    @property
    def allocated(self) -> dict[str, int]:
        return amounts_of(self.fields.map("status", "allocated"))

    @property
    def state(self) -> str:
        return self.fields.text("status", "state")

    @property
    def parent(self) -> str:
        return self.fields.text("spec", "parent")


def group_of(case: Case) -> VolcanoGroup | None:
    """By the subject itself, by the pod's annotation, or by the owner that both have."""
    thing = _found(case)
    return VolcanoGroup(thing, case.fields(thing)) if thing else None


def _found(case: Case) -> Thing | None:
    thing = case.subject.thing
    if thing is not None and thing.kind == "PodGroup" and thing.api_version.startswith(VOLCANO):
        return thing
    table = case.view.things("podgroups")
    name = case.detail.map("metadata", "annotations").get(ANNOTATION, "")
    if name and (named := table.get(f"{case.subject.namespace}/{name}")):
        return named
    uids = {one.uid for one in (thing, case.pod, case.pod.owner if case.pod else None) if one is not None and one.uid}
    near = (one for one in table.values() if one.namespace == case.subject.namespace and one.owner is not None)
    return next((one for one in near if one.owner and one.owner.uid in uids), None)


def queues_of(case: Case, group: VolcanoGroup) -> Iterator[VolcanoQueue]:
    """Its queue and those above it, nearest first."""
    name, seen = group.queue, set[str]()
    while name and name not in seen and len(seen) < DEEPEST:
        seen.add(name)
        thing = case.view.things("volcanoqueues").get(name)
        if thing is None:
            return
        queue = VolcanoQueue(thing, case.fields(thing))
        yield queue
        name = queue.parent


def groups_in(case: Case, queue: str) -> Iterator[VolcanoGroup]:
    """Those of the queue that hold something: enqueued or running."""
    for thing in case.view.things("podgroups").values():
        one = VolcanoGroup(thing, case.fields(thing))
        if one.queue == queue and one.phase in ("Running", "Inqueue"):
            yield one


def members_of(case: Case, group: VolcanoGroup) -> list[Pod]:
    """Its pods, by the owner that they share, or the pod itself."""
    owner = group.thing.owner
    found = set(case.view.pods_by_owner.get(owner.uid, ())) if owner and owner.uid else set()
    if case.pod is not None and not found:
        found = {case.pod}
    return sorted((pod for pod in found if not pod.finished), key=lambda pod: pod.name)
