"""ProgressDeadlineExceeded: a clock that ran out. It is a symptom, and sometimes only the clock is wrong."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.words import duration
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.rolling import Rollout, well
from bot.why.shell import patch
from bot.why.started.start import starting


def deadline(case: Case, rolling: Rollout) -> Iterator[Finding]:
    """The clock ran out. Where the startup probe allows more time than the clock, it says nothing about the pod."""
    condition = rolling.fields.condition("Progressing")
    if condition.text("reason") != "ProgressDeadlineExceeded":
        return
    told = rolling.fields.number("spec", "progressDeadlineSeconds")
    allowed = 600 if told is None else told
    start = starting(case)
    if start is not None and not start.waits and not start.stands_still:
        return  # the stage that tells how far its start is tells of this clock too
    budget = startup_budget_seconds(rolling.fields)
    if budget > allowed and case.pod is not None and _still_starting(case.pod):
        yield _too_short(rolling, case.pod, allowed, budget)
    elif case.subject.pod is None:
        yield Finding(
            "rollout.deadline",
            f"`ProgressDeadlineExceeded` only says that {duration(allowed)} went by without a new ready pod: it is a "
            "symptom, and Kubernetes neither stops nor undoes the rollout for it",
            Level.NOTE,
        )


def _still_starting(pod: Pod) -> bool:
    """Its containers run for the first time, and it is not ready."""
    return bool(pod.node) and not well(pod) and not any(one.restarts or one.terminated for one in pod.states)


def _too_short(rolling: Rollout, pod: Pod, allowed: int, budget: int) -> Finding:
    title, namespace = rolling.deployment.title, rolling.deployment.namespace
    raised = enough_seconds(rolling.fields)
    change = f'{{"spec":{{"progressDeadlineSeconds":{raised}}}}}'
    return Finding(
        "rollout.deadline-too-short",
        f"`{title}` counts as failed (`ProgressDeadlineExceeded`) although `{pod.name}` may still be starting: "
        f"`progressDeadlineSeconds` is {allowed}, the startup probe allows {duration(budget)} ({budget:,} s); it has "
        "no restarts",
        Level.ALSO,
        evidence=("The condition stops nothing by itself; release tools that read it as a failure do",),
        remedies=(
            Remedy(
                f"Give the Deployment as long as its probe: `progressDeadlineSeconds: {raised}`, and the release "
                "tool's timeout likewise",
                patch("deployment", rolling.deployment.name, change, namespace=namespace),
                cost="the running pods are not touched",
            ),
        ),
        useless=("Do not roll back for it: the pod would end and the whole start would begin again",),
    )


def enough_seconds(deployment: Fields) -> int:
    """A deadline that lets the startup probe have its time, in whole units of 5 min."""
    return -(-(startup_budget_seconds(deployment) + 300) // 300) * 300


def startup_budget_seconds(deployment: Fields) -> int:
    """The longest start that the startup probes of the template allow; 0 without such a probe.

    Defaults: kubernetes/api:core/v1/types.go (Probe).
    """
    found = [0]
    for container in deployment.each("spec", "template", "spec", "containers"):
        if probe := container.at("startupProbe"):
            period, failures = probe.number("periodSeconds"), probe.number("failureThreshold")
            found.append((probe.number("initialDelaySeconds") or 0) + (period or 10) * (failures or 3))
    return max(found)
