"""Queues that let nothing in: missing, stopped on purpose, or inactive because something they name is missing.

kubernetes-sigs/kueue:pkg/cache/scheduler/clusterqueue.go (inactiveReason),
pkg/controller/core/localqueue_controller.go.
"""

from collections.abc import Iterable
from difflib import get_close_matches

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.pattern import Pattern
from bot.domain.thing import Thing
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.kueue_checks import checks_off
from bot.why.kueue_quota import flavors_of
from bot.why.shell import kubectl, patch, quoted

_LISTED = Pattern(r"missing ResourceFlavor\(s\): (?P<names>[^\n]+)")
STOPPED = ("Hold", "HoldAndDrain")


def closed(case: Case, namespace: str, name: str) -> Finding | None:
    """Why that LocalQueue lets nothing in; None where it does, or where that cannot be told."""
    if not name or not case.view.knows("localqueues"):
        return None
    local = case.view.things("localqueues").get(f"{namespace}/{name}")
    if local is None:
        return _no_local(case, namespace, name)
    fields = case.fields(local)
    if fields.text("spec", "stopPolicy") in STOPPED:
        return _stopped(local, fields)
    queue = fields.text("spec", "clusterQueue")
    if not case.view.knows("clusterqueues"):
        return None
    thing = case.view.things("clusterqueues").get(queue)
    return _no_cluster(case, local, queue) if thing is None else cluster_closed(case, thing)


def cluster_closed(case: Case, queue: Thing) -> Finding | None:
    """Why that ClusterQueue lets nothing in."""
    fields = case.fields(queue)
    if fields.text("spec", "stopPolicy") in STOPPED:
        return _stopped(queue, fields)
    missing = _missing_flavors(case, fields)
    active = fields.condition("Active")
    if active.text("status") != "False":
        return None
    if missing:
        return _no_flavor(case, queue, missing, active)
    return _inactive(case, queue, active)


def _missing_flavors(case: Case, fields: Fields) -> list[str]:
    if case.view.knows("resourceflavors"):
        return [name for name in flavors_of(fields) if name not in case.view.things("resourceflavors")]
    listed = _LISTED.search(fields.condition("Active").text("message")[:2000])
    return [name.strip(" .") for name in listed["names"].split(",")] if listed else []


def nearest(name: str, existing: Iterable[str]) -> str:
    """The existing name that was most likely meant: one that begins alike before one that only looks alike."""
    every = sorted(existing)
    alike = [one for one in every if one.startswith(name) or name.startswith(one)]
    return next(iter(alike or get_close_matches(name, every, 1, 0.5)), "")


def _no_flavor(case: Case, queue: Thing, missing: list[str], active: Fields) -> Finding:
    name, existing = missing[0], case.view.things("resourceflavors")
    near = nearest(name, existing)
    there = f"the nearest name that exists is `{near}`" if near else f"{count(len(existing), 'flavor')} exist"
    which = (
        f"flavor `{name}`, which does not exist"
        if len(missing) == 1
        else f"flavors that do not exist: {names(missing)}"
    )
    return Finding(
        "kueue.flavor-missing",
        f"Kueue admits nothing through ClusterQueue `{queue.name}`, because it names {which} ({there})",
        evidence=(
            f"ClusterQueue {queue.name}: Active=False ({active.text('reason')}) {quoted(active.text('message'))}",
            f"ResourceFlavors that exist: {names(sorted(existing), 6) or 'none'}",
        ),
        remedies=_correct(queue, name, near),
        useless=("Waiting and more quota do not help: the whole queue is off until all its flavors exist.",),
        weight=3,
    )


def _correct(queue: Thing, name: str, near: str) -> tuple[Remedy, ...]:
    look = Remedy("See which flavors there are", kubectl("get", "resourceflavors.kueue.x-k8s.io"))
    what = f"write `{near}` in place of `{name}`" if near else f"name a flavor that exists in place of `{name}`"
    edit = Remedy(
        f"In the ClusterQueue, {what}, or create a ResourceFlavor called `{name}`",
        kubectl("edit", "clusterqueues.kueue.x-k8s.io", queue.name),
        verified=False,
        cost="all that waits in this queue can be admitted then",
    )
    return (look, edit)


def _inactive(case: Case, queue: Thing, active: Fields) -> Finding:
    reason, message = active.text("reason"), active.text("message")
    off = list(checks_off(case, case.fields(queue)))
    because = f": {'; '.join(one.words for one in off[:2])}" if off else ""
    return Finding(
        "kueue.queue-inactive",
        f"Kueue admits nothing through ClusterQueue `{queue.name}`: it is inactive ({reason or 'no reason given'})"
        f"{because}",
        evidence=(f"ClusterQueue {queue.name}: Active=False {quoted(message or reason)}",),
        remedies=(
            *(Remedy(f"Mend the admission check `{one.name}`", one.command) for one in off[:2]),
            Remedy("See what the queue refers to", kubectl("describe", "clusterqueues.kueue.x-k8s.io", queue.name)),
        ),
        useless=("Waiting does not help: an inactive queue admits nothing until what it names is there and active.",),
        unknown=case.not_read("admissionchecks", "resourceflavors"),
        weight=3,
    )


def _stopped(queue: Thing, fields: Fields) -> Finding:
    drains = ", and what was admitted is put back too" if fields.text("spec", "stopPolicy") == "HoldAndDrain" else ""
    kind = f"{queue.kind.lower()}s.kueue.x-k8s.io"
    return Finding(
        "kueue.queue-stopped",
        f"{queue.kind} `{queue.key}` was stopped by somebody (stopPolicy {fields.text('spec', 'stopPolicy')}): it "
        f"admits nothing{drains}",
        remedies=(
            Remedy(
                "Ask who stopped it and why; then let it run again",
                patch(kind, queue.name, '{"spec":{"stopPolicy":"None"}}', namespace=queue.namespace),
                verified=False,
                cost="everything that waits in it may start",
            ),
        ),
        weight=4,
    )


def _no_local(case: Case, namespace: str, name: str) -> Finding:
    here = sorted(one.name for one in case.view.things("localqueues").values() if one.namespace == namespace)
    near = nearest(name, here) or (here[0] if len(here) == 1 else "")
    there = f"; {namespace} has {names([f'`{one}`' for one in here])}" if here else f"; {namespace} has no queue at all"
    return Finding(
        "kueue.no-local-queue",
        f"it names Kueue's queue `{name}`, and there is no LocalQueue of that name in {namespace}{there}",
        remedies=(
            Remedy(
                "See the queues of the namespace", kubectl("get", "localqueues.kueue.x-k8s.io", namespace=namespace)
            ),
            Remedy(
                f"Set its label `kueue.x-k8s.io/queue-name` to `{near}`" if near else f"Create LocalQueue `{name}`",
                verified=False,
            ),
        ),
        useless=("Waiting does not help: nothing looks at it until the queue exists.",),
        weight=4,
    )


def _no_cluster(case: Case, local: Thing, queue: str) -> Finding:
    near = nearest(queue, case.view.things("clusterqueues"))
    meant = f" (`{near}` does)" if near else ""
    return Finding(
        "kueue.no-cluster-queue",
        f"LocalQueue `{local.key}` hands over to ClusterQueue `{queue}`, which does not exist{meant}",
        remedies=(
            Remedy("See which ClusterQueues there are", kubectl("get", "clusterqueues.kueue.x-k8s.io")),
            Remedy(
                f"Create ClusterQueue `{queue}`, or make a LocalQueue that names one that exists",
                verified=False,
                cost="spec.clusterQueue of a LocalQueue cannot be changed: it has to be made anew",
            ),
        ),
        weight=4,
    )
