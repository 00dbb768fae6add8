"""A scheduler that is down: nobody renews its lease, or none of its pods is ready."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.words import duration
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.schedulers import DEFAULT, heard_of, last_placed, lease, name_of, waiting_too, workloads_of
from bot.why.shell import kubectl

LEASE_SECONDS = 60.0


def down(case: Case, pod: Pod) -> Finding | None:
    """Its lease has run out: nobody is the leader. Where others were placed since, another lease counts."""
    name = name_of(pod)
    own = lease(case, name)
    if own is None:
        return _asleep(case, pod) if name != DEFAULT else None
    renewed = case.fields(own).text("spec", "renewTime")
    age = case.age_seconds(renewed)
    allowed = max(LEASE_SECONDS, 4.0 * (case.fields(own).number("spec", "leaseDurationSeconds") or 15))
    last = last_placed(case, name)
    if age is None or age <= allowed or (last is not None and last.time > renewed):
        return None
    holder = case.fields(own).text("spec", "holderIdentity")
    return Finding(
        "scheduler.down",
        f"the scheduler `{name}` is down: its lease was renewed last {duration(age)} ago, and nobody has taken over; "
        "no pod gets a place meanwhile",
        evidence=(
            f"Lease `{own.key}`: renewTime {renewed}{f', held by {holder[:80]}' if holder else ''}",
            *waiting_too(case, pod),
            *(
                (f"The last pod that it placed: {last.about_namespace}/{last.about_name} at {last.time[11:16]}",)
                if last
                else ()
            ),
        ),
        remedies=tuple(_start(case, name, own)),
        useless=("Changing the pod, or more nodes, does not help: nobody looks",),
    )


def _asleep(case: Case, pod: Pod) -> Finding | None:
    """A scheduler beside kube-scheduler whose Deployment has no pod that is ready."""
    name = name_of(pod)
    found = workloads_of(case, name)
    if not found or any(
        case.fields(one).number("status", "readyReplicas") or case.fields(one).number("status", "numberReady")
        for one in found
    ):
        return None
    if heard_of(case, pod) or all(case.fields(one).at("status").get("replicas") is None for one in found):
        return None
    one = found[0]
    return Finding(
        "scheduler.down",
        f"the scheduler `{name}` is down: `{one.title}` in {one.namespace} has no ready pod; no pod that names it "
        "gets a place meanwhile",
        evidence=tuple(waiting_too(case, pod)),
        remedies=(Remedy("See why it does not run", f"/why {one.title.replace('/', f'/{one.namespace}/')}"),),
    )


def _start(case: Case, name: str, own: Thing) -> Iterator[Remedy]:
    for one in workloads_of(case, name)[:1]:
        yield Remedy("See why it does not run", kubectl("describe", one.title, namespace=one.namespace))
        return
    yield Remedy(
        "Look at its pods on the control plane and at their logs",
        kubectl("get", "pods", "-l", "component=kube-scheduler", "-o", "wide", namespace=own.namespace),
    )
