"""A preemption that is under way: the scheduler has chosen a node and ends pods of lower priority there."""

from bot.domain.pod import Pod
from bot.domain.words import names
from bot.why.case import Case
from bot.why.finding import Finding


def victims_of(case: Case, pod: Pod) -> list[Pod]:
    return sorted(
        (
            one
            for one in case.view.on_node(pod.nominated)
            if one.deleted and not one.finished and one.priority < pod.priority
        ),
        key=lambda one: one.key,
    )


def preempting(pod: Pod, victims: list[Pod]) -> Finding:
    who = names([f"`{one.key}`" for one in victims], 3)
    ends = max((one.deleted for one in victims), default="")
    return Finding(
        "scheduler.preempting",
        f"the scheduler is making room for it on {pod.nominated}: {who} {'is' if len(victims) == 1 else 'are'} being "
        "ended for it",
        evidence=tuple(
            f"`{one.key}`: priority {one.priority} < {pod.priority}, its grace period ends {one.deleted[11:19]}"
            for one in victims[:3]
        ),
        until=(
            f"{'that pod is' if len(victims) == 1 else 'those pods are'} "
            f"gone{f', {ends[11:16]} at the latest' if len(ends) > 15 else ''}"
        ),
    )
