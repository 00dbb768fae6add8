"""Kueue that starts one after another: with waitForPodsReady nothing is let in while pods of the last are not ready.

kubernetes-sigs/kueue:pkg/scheduler/scheduler.go (blockAdmission), config waitForPodsReady.
"""

from bot.domain.answer import Remedy
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.kueue_workload import Workload, pods_of, workloads
from bot.why.pod_state import ailing
from bot.why.shell import kubectl, quoted

REASON, SAID = "WaitingForPodsReady", "PodsReady condition"


def waits_for_ready(case: Case, workload: Workload) -> Finding | None:
    """None where Kueue gives another reason."""
    told = workload.fields.condition("QuotaReserved")
    message = told.text("message")
    if told.text("reason") != REASON and SAID not in message:
        return None
    late = [one for one in workloads(case) if one.admitted and not one.holds("PodsReady")]
    which = names([f"`{one.thing.namespace}/{one.job}`" for one in late], 3)
    first = late[0] if late else None
    return Finding(
        "kueue.waits-for-ready",
        f"Kueue lets nothing in until the pods of {which or 'what it let in before'} are ready (waitForPodsReady)",
        evidence=(*((f"Kueue says {quoted(message)}",) if message else ()), *(_state(case, one) for one in late[:3])),
        remedies=(
            Remedy(
                f"See why they are not: ask `why workload/{first.thing.key}`",
                kubectl("describe", "workloads.kueue.x-k8s.io", first.name, namespace=first.thing.namespace),
            ),
        )
        if first
        else (),
        useless=("More quota does not help: Kueue does not look at it before.",),
        until="they are ready, or Kueue's time-out puts them back in line",
        weight=2,
    )


def _state(case: Case, one: Workload) -> str:
    pods = pods_of(case.view, one)
    bad = [pod for pod in pods if not pod.finished and ailing(pod)]
    words = names([f"{pod.name}: {ailing(pod)}" for pod in bad], 3)
    counted = f"{one.thing.namespace}/{one.job}: {len(bad)} of {count(len(pods), 'pod')} not ready"
    return f"{counted} ({words})" if words else counted
