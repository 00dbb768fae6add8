"""Which schedulers work here, and how one can tell: leases, Deployments, events, pods that they have placed."""

from collections.abc import Iterator

from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.why.case import Case

DEFAULT = "default-scheduler"
LEASE = "kube-scheduler"
SYSTEM = "kube-system"
OTHERS_LEASES = {"volcano": ("vc-scheduler", "volcano"), "kai-scheduler": ("kai-scheduler",), "yunikorn": ("yunikorn",)}


def heard_of(case: Case, pod: Pod) -> bool:
    """Whether any scheduler, queue or autoscaler has said something of it."""
    return pod.condition("PodScheduled") is not None or any(one.source not in ("kubelet", "") for one in case.events)


def name_of(pod: Pod) -> str:
    return pod.scheduler or DEFAULT


def known(case: Case, pod: Pod) -> bool:
    """Whether something shows that a scheduler of that name works, or has worked, here."""
    name = name_of(pod)
    if name == DEFAULT:
        return True
    if any(one.source == name for one in case.view.events.values()):
        return True
    if any(one.scheduler == name and one.node for one in case.view.pods.values()):
        return True
    return bool(lease(case, name)) or bool(workloads_of(case, name))


def workloads_of(case: Case, name: str) -> list[Thing]:
    """Deployments and the like that look like that scheduler: its name is in theirs, or in their arguments."""
    tables = ("deployments", "statefulsets", "daemonsets")
    there = (one for table in tables for one in case.view.things(table).values() if "scheduler" in one.name)
    return sorted((one for one in there if _is_scheduler(case, one, name)), key=lambda one: one.key)


def _is_scheduler(case: Case, thing: Thing, name: str) -> bool:
    if any(hint in thing.name for hint in (name, *OTHERS_LEASES.get(name, ()))):
        return True
    return any(f"--scheduler-name={name}" in text for text in _arguments(case, thing))


def _arguments(case: Case, thing: Thing) -> Iterator[str]:
    for container in case.fields(thing).each("spec", "template", "spec", "containers"):
        yield from (*container.texts("args"), *container.texts("command"))


def lease(case: Case, name: str) -> Thing | None:
    """The lease by which the replicas of a scheduler choose their leader."""
    if name == DEFAULT:
        return case.view.thing("Lease", SYSTEM, LEASE)
    wanted = {name, *OTHERS_LEASES.get(name, ())}
    return next((one for one in case.view.things("leases").values() if one.name in wanted), None)


def last_placed(case: Case, name: str) -> Event | None:
    placed = (one for one in case.view.events.values() if one.reason == "Scheduled" and one.source == name)
    return max(placed, key=lambda one: one.time, default=None)


def waiting_too(case: Case, pod: Pod) -> Iterator[str]:
    others = [
        one
        for one in case.view.waiting
        if one is not pod and name_of(one) == name_of(pod) and not one.gated and one.condition("PodScheduled") is None
    ]
    if others:
        yield (
            f"{count(len(others), 'other pod')} of the same scheduler {'waits' if len(others) == 1 else 'wait'} "
            "without a word too"
        )
