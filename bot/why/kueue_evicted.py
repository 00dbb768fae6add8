"""Workloads that Kueue took back: switched off, put back in line for a while, or evicted and never let go of.

kubernetes-sigs/kueue:apis/kueue/v1beta1/workload_types.go (reasons of the condition Evicted; up to release 0.8
`InactiveWorkload` stands for every sort of deactivation), pkg/workload/workload.go.
"""

from bot.domain.answer import Remedy
from bot.domain.time import seconds_since
from bot.domain.words import count, duration
from bot.why.amounts import said, scarcest_first
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.kueue_workload import Workload, pods_of
from bot.why.shell import kubectl, patch, quoted

KIND = "workloads.kueue.x-k8s.io"
SETTLED_SECONDS = 5 * 60  # an eviction is over by then, unless pods take long to end
_TRIES = ("RequeuingLimitExceeded", "maximum number of re-queuing retries", "maximum number of requeuing")
_CHECK = ("AdmissionCheck",)
_TOO_LONG = ("MaximumExecutionTimeExceeded", "maximum execution time")


def deactivated(case: Case, workload: Workload) -> Finding:
    """spec.active is false: by somebody, or by Kueue after a rejected check or too many tries."""
    told = workload.fields.condition("Evicted")
    reason, message = (
        told.text("reason"),
        told.text("message") or workload.fields.condition("QuotaReserved").text("message"),
    )
    age = case.age_seconds(told.text("lastTransitionTime"))
    when = f" {duration(age)} ago" if age else ""
    thing = workload.thing
    why, settle = _why_off(workload, f"{reason} {message}")
    return Finding(
        "kueue.deactivated",
        f"Kueue's Workload `{thing.key}` was switched off{when}{why} (spec.active is false): it stays out until "
        "somebody switches it on",
        evidence=(f"({reason}) {quoted(message, 300)}",) if message else (),
        remedies=(
            Remedy(settle, kubectl("describe", KIND, thing.name, namespace=thing.namespace)),
            Remedy(
                "Switch it on again once that is settled",
                patch(KIND, thing.name, '{"spec":{"active":true}}', namespace=thing.namespace),
                verified=False,
                cost="it goes to its place in line",
            ),
        ),
        useless=("Waiting and more quota do not help.",),
        weight=5,
    )


def _why_off(workload: Workload, told: str) -> tuple[str, str]:
    """Why, as the sentence goes on, and what to look at before it is switched on again."""
    if any(one in told for one in _TRIES):
        tries = workload.fields.number("status", "requeueState", "count")
        times = f" after {count(tries, 'try').replace('trys', 'tries')}" if tries else ""
        return (
            f" by Kueue{times}, because its pods were not ready in time whenever it was let in",
            "See why its pods were not ready in time: image, nodes, start of the engine",
        )
    if any(one in told for one in _CHECK):
        return " by Kueue, because an admission check rejected it", "Put right what the check says"
    if any(one in told for one in _TOO_LONG):
        return (
            " by Kueue, because it ran for longer than its maximumExecutionTimeSeconds",
            "Raise the label `kueue.x-k8s.io/max-exec-time-seconds` of the job, if it needs longer",
        )
    return "", "See why it was switched off"


def not_released(case: Case, workload: Workload) -> Finding | None:
    """Evicted and suspended, and still counted as admitted: nobody will try it again, and its quota is lost."""
    if not left_behind(case, workload):
        return None
    told, thing = workload.fields.condition("Evicted"), workload.thing
    age = case.age_seconds(told.text("lastTransitionTime"))
    uses = workload.uses
    resource = next(iter(scarcest_first(name for _, name in uses)), "")
    held = sum(value for (_, name), value in uses.items() if name == resource)
    keeps = f"{said(resource, held)} of the quota" if resource else "the quota"
    return Finding(
        "kueue.not-released",
        f"Kueue evicted it{f' {duration(age)} ago' if age else ''} ({told.text('reason')}) and left it half way: it "
        f"has no pods, is not tried again, and still holds {keeps} of `{workload.cluster_queue}`",
        evidence=(
            f"Workload {thing.key}: Evicted, QuotaReserved and Admitted are all True; {quoted(told.text('message'))}",
        ),
        remedies=(
            Remedy(
                "Switch it off, which gives its quota back, then on again, which puts it in line",
                f"{patch(KIND, thing.name, OFF, namespace=thing.namespace)} && "
                f"{patch(KIND, thing.name, ON, namespace=thing.namespace)}",
                verified=False,
                cost="nothing is lost: none of its pods runs",
            ),
        ),
        useless=("Waiting and more quota do not help.",),
        weight=5,
    )


OFF, ON = '{"spec":{"active":false}}', '{"spec":{"active":true}}'


def left_behind(case: Case, workload: Workload) -> bool:
    """Whether it holds quota after an eviction that is long over, and none of its pods is left."""
    told = workload.fields.condition("Evicted")
    age = case.age_seconds(told.text("lastTransitionTime"))
    if told.text("status") != "True" or not workload.reserved or age is None or age < SETTLED_SECONDS:
        return False
    return case.view.knows("pods") and all(pod.finished for pod in pods_of(case.view, workload))


def put_back(case: Case, workload: Workload) -> Finding | None:
    """After an eviction it may have to wait some time before it is tried again."""
    again = workload.fields.text("status", "requeueState", "requeueAt")
    left = seconds_since(again, case.now)
    if left is None or left >= 0:
        return None
    told = workload.fields.condition("Evicted")
    tries = workload.fields.number("status", "requeueState", "count") or 0
    return Finding(
        "kueue.put-back",
        f"Kueue put it back in line ({told.text('reason') or 'evicted'}, try {tries}) and tries again in "
        f"{duration(-left)}",
        evidence=(f"Kueue says {quoted(told.text('message'))}",) if told.text("message") else (),
        until=f"{again}: then Kueue tries again",
        weight=4,
    )
