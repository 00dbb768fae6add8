"""Another priority class for the pod: what the scheduler would then evict, or why that changes nothing."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.why.change import Priority, World
from bot.why.placement import template
from bot.why.placement.blocker import Kind
from bot.why.placement.nodes import Survey

USER_MAX = 1_000_000_000  # classes above are the system's
NEVER = "Never"


def raised(survey: Survey, world: World, useless: list[str]) -> Iterator[Remedy]:
    """A higher priority lets the scheduler evict others: offered where it would, refused where people would try it."""
    if not survey.main or survey.verdict.preemption or not any(Kind.SHORT in group.kinds for group in survey.groups):
        return
    if _peaceful(survey.pod):
        useless.append(
            f"Its priority of {survey.pod.priority:,} does not help: it evicts nobody (`preemptionPolicy: Never`)"
        )
    for value, name in _classes(survey):
        found = Priority(value, name).victims(world)
        if found is not None:
            yield _remedy(survey, value, name, *found)
            return
    if Priority(USER_MAX, "").victims(world) is None:
        useless.append("Raising the priority does not help: even without the pods that may be evicted no node takes it")


def _remedy(survey: Survey, value: int, name: str, node: str, victims: tuple[Pod, ...]) -> Remedy:
    way = template.priority(survey, name)
    one = len(victims) == 1
    may = ", whose pods may evict others" if _peaceful(survey.pod) else ""
    cost = f"{count(len(victims), 'pod')} {'loses' if one else 'lose'} the work and {'waits' if one else 'wait'} again"
    who = names([pod.key for pod in victims], shown=2)
    return Remedy(
        f"Give it the priority class `{name}` ({value:,}){may}: the scheduler would then evict {who} on "
        f"{node}{way.how}",
        way.command,
        verified=True,
        cost="; ".join(one for one in (cost, way.cost) if one),
    )


def _peaceful(pod: Pod) -> bool:
    return pod.spec.preemption_policy == NEVER


def _classes(survey: Survey) -> list[tuple[int, str]]:
    """Classes for people whose pods may evict others, lowest first: higher ones; for a pod that never does, any."""
    least = -USER_MAX if _peaceful(survey.pod) else survey.pod.priority + 1
    found = survey.state.view.priorityclasses.values()
    return sorted(
        (one.value, one.name) for one in found if least <= one.value <= USER_MAX and one.preemption_policy != NEVER
    )
