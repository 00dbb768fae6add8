"""How many more pods may be made at all: ResourceQuota, LimitRange and Kueue, before any node is looked at.

A quota counts every pod that is not finished. kubernetes/apiserver:pkg/admission/plugin/resourcequota. Kueue lets a pod
(or a group of them) in when its ClusterQueue has room, by its own or by borrowing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.scaling.standing import Standing
from bot.why.amounts import added, amounts_of, number, said
from bot.why.case import Case
from bot.why.kueue_queues import closed
from bot.why.kueue_quota import quotas
from bot.why.kueue_workload import QUEUE_LABEL
from bot.why.shell import kubectl

_PODS = ("pods", "count/pods")


@dataclass(frozen=True, slots=True)
class Ration:
    """Lets in only `room` of the replicas asked for. `why` continues "2 would …: "; `look`: what to type to see it.

    refuses: pods beyond that are not made at all, as with a quota; else they are made and wait.
    """

    room: int
    why: str
    kind: str
    look: str = ""
    refuses: bool = True


def rations(view: View, now: Standing, pods: Sequence[Pod], wanted: int) -> tuple[Ration, ...]:
    """Only those that let in fewer than `wanted`, the tightest first. `pods`: those of one replica."""
    namespace = now.thing.namespace
    found = [*_quotas(view, namespace, pods), *_limits(view, namespace, now), *_kueue(now, pods)]
    found += _leaving(view, namespace)
    return tuple(sorted((one for one in found if one.room < wanted), key=lambda one: one.room))


# ---- quota -----------------------------------------------------------------------------------------------------------


def _quotas(view: View, namespace: str, pods: Sequence[Pod]) -> Iterator[Ration]:
    asked = added([*(pod.requests for pod in pods), {"pods": len(pods)}])
    for quota in view.things("resourcequotas").values():
        fields = quota.fields
        if quota.namespace != namespace or not _covers(fields, pods[0]):
            continue
        hard = amounts_of(_plainly(fields.map("status", "hard") or fields.map("spec", "hard")))
        used = amounts_of(_plainly(fields.map("status", "used")))
        found = [(_rooms(hard, used, asked, one), one) for one in hard if asked.get(one)]
        if not found:
            continue
        room, resource = min(found)
        left = max(0, hard[resource] - used.get(resource, 0))
        yield Ration(
            room,
            f"quota `{quota.name}` of namespace {namespace} has {number(resource, left)} of "
            f"{said(resource, hard[resource])} left and each replica asks for {number(resource, asked[resource])}",
            "quota",
            kubectl("describe", "resourcequota", quota.name, namespace=namespace),
        )


def _plainly(told: Mapping[str, str]) -> dict[str, str]:
    """Requests by their plain names; limits are left out, as only whole templates tell them."""
    found = {name.removeprefix("requests."): value for name, value in told.items() if not name.startswith("limits.")}
    if "count/pods" in told:
        found["pods"] = told["count/pods"]
    return found


def _rooms(hard: Mapping[str, int], used: Mapping[str, int], asked: Mapping[str, int], resource: str) -> int:
    return max(0, hard[resource] - used.get(resource, 0)) // asked[resource]


def _covers(quota: Fields, pod: Pod) -> bool:
    """Scopes by priority class are followed, all others are left to the dry run by the API server."""
    if quota.get("spec", "scopes"):
        return False
    for one in quota.each("spec", "scopeSelector", "matchExpressions"):
        if one.text("scopeName") != "PriorityClass" or one.text("operator") not in ("In", "NotIn"):
            return False
        if (pod.priority_class in one.texts("values")) != (one.text("operator") == "In"):
            return False
    return True


# ---- LimitRange ------------------------------------------------------------------------------------------------------


def _limits(view: View, namespace: str, now: Standing) -> Iterator[Ration]:
    containers = list(now.maker.fields.each("spec", "template", "spec", "containers"))
    for one in view.things("limitranges").values():
        if one.namespace != namespace:
            continue
        for item in one.fields.each("spec", "limits"):
            if item.text("type") == "Container":
                yield from _too_large(one, amounts_of(item.map("max")), containers)


def _too_large(limit: Thing, most: Mapping[str, int], containers: Iterable[Fields]) -> Iterator[Ration]:
    for container in containers:
        asked = amounts_of({**container.map("resources", "requests"), **container.map("resources", "limits")})
        for resource in sorted(most.keys() & asked.keys()):
            if asked[resource] > most[resource]:
                yield Ration(
                    0,
                    f"LimitRange `{limit.name}` of namespace {limit.namespace} allows a container "
                    f"{said(resource, most[resource])} at most and `{container.text('name')}` asks for "
                    f"{number(resource, asked[resource])}",
                    "limit-range",
                    kubectl("describe", "limitrange", limit.name, namespace=limit.namespace),
                )


# ---- Kueue -----------------------------------------------------------------------------------------------------------


def _kueue(now: Standing, pods: Sequence[Pod]) -> Iterator[Ration]:
    """Where the object or its pods name a queue: each replica is a workload of its own."""
    case, thing = now.case, now.thing
    name = thing.labels.get(QUEUE_LABEL) or pods[0].labels.get(QUEUE_LABEL, "")
    if not name:
        return
    shut = closed(case, thing.namespace, name)
    if shut is not None:
        yield Ration(0, shut.sentence, "kueue", refuses=False)
        return
    local = case.view.things("localqueues").get(f"{thing.namespace}/{name}")
    queue = case.fields(local).text("spec", "clusterQueue") if local is not None else ""
    yield from _queue(case, queue, added(pod.requests for pod in pods))


def _queue(case: Case, queue: str, asked: Mapping[str, int]) -> Iterator[Ration]:
    """A flavor gives all of a replica's part of one resource; the best one counts."""
    rooms: list[tuple[int, str, int, int]] = []
    cells = quotas(case, queue)
    for resource in asked:
        mine = [cell for cell in cells if cell.resource == resource and asked[resource]]
        if mine:
            best = max(mine, key=lambda cell: cell.left)
            total = sum(max(0, cell.left) // asked[resource] for cell in mine)
            rooms.append((total, resource, max(0, best.left), best.most))
    if rooms:
        room, resource, left, most = min(rooms)
        yield Ration(
            room,
            f"Kueue admits no more through ClusterQueue `{queue}`: {number(resource, left)} of {said(resource, most)} "
            f"left and each replica asks for {number(resource, asked[resource])}",
            "kueue",
            kubectl("get", "clusterqueues.kueue.x-k8s.io", queue, "-o", "yaml"),
            refuses=False,
        )


def _leaving(view: View, namespace: str) -> list[Ration]:
    """A namespace that is going away takes no new objects."""
    known = view.namespaces.get(namespace)
    if known is None and view.knows("namespaces") and view.namespaces:
        return [Ration(0, f"namespace {namespace} does not exist", "namespace")]
    return []
