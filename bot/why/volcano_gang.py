"""A Volcano group that was let in and has no place for all its members at once: who of them is to blame.

volcano-sh/volcano:pkg/scheduler/plugins/gang/gang.go, pkg/scheduler/api/unschedule_info.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.gang_places import no_room, places
from bot.why.shell import kubectl, quoted
from bot.why.volcano_group import VolcanoGroup, members_of
from bot.why.volcano_messages import gang as parse

WAITS_FOR_GANG = ("Schedulable", "Undetermined")


def gang(case: Case, group: VolcanoGroup) -> Iterator[Finding]:
    members = members_of(case, group)
    if members and group.members > len(members):
        yield _too_few(group, len(members))
        return
    if case.pod is None or not case.waits:
        return
    if _waits_for_gang(case.pod):
        yield from _innocent(group, members)
    elif _refused(case.pod) and case.verdict is not None and case.verdict.feasible:
        yield _beside_the_others(group, case.pod)
    else:
        return
    if (short := places(case, members)) is not None and short.kept_away:
        yield no_room(case, short, group.thing.name, group.members, Level.ROOT)


def _innocent(group: VolcanoGroup, members: list[Pod]) -> Iterator[Finding]:
    """It could be placed: of the others the first without a node is to blame."""
    told = parse(group.fields.condition("Unschedulable").text("message"))
    culprit = next((pod for pod in members if _refused(pod)), None)
    if culprit is None and told is None:
        return
    name = culprit.name if culprit else told.culprit if told else ""
    condition = culprit.condition("PodScheduled") if culprit else None
    why = condition.message if condition else told.why if told else ""
    blamed = f": `{name}` has none" if name else ""
    yield Finding(
        "volcano.gang",
        f"it could be placed and waits for its group, which starts only when {count(group.members, 'pod')} have a place"
        f"{blamed}",
        evidence=tuple(
            filter(None, (f"{name}: {quoted(why, 300)}" if why else "", _states(told.states) if told else ""))
        ),
        remedies=(Remedy(f"Ask for the one without a place: `why {group.thing.namespace}/{name}`"),) if name else (),
        useless=("Looking for a fault of this pod does not help: it has none.",),
        weight=1,
    )
    if culprit is not None and why:
        yield Finding("volcano.culprit", f"`{name}` finds no node: {quoted(why)}", Level.ROOT)


def _beside_the_others(group: VolcanoGroup, pod: Pod) -> Finding:
    """By itself it would fit: the others of its group take that place."""
    told = pod.condition("PodScheduled")
    return Finding(
        "volcano.beside-the-others",
        f"Volcano finds no node for it beside the others of its group, of which {count(group.members, 'pod')} start at "
        "once",
        evidence=(f"Volcano says {quoted(told.message, 300)}",) if told else (),
        useless=("That it would fit by itself does not help: the others need the same nodes.",),
        weight=1,
    )


def _states(states: dict[str, int]) -> str:
    return "members: " + ", ".join(f"{number} {state}" for state, number in states.items()) if states else ""


def _refused(pod: Pod) -> bool:
    told = pod.condition("PodScheduled")
    return not pod.node and told is not None and told.reason == "Unschedulable"


def _waits_for_gang(pod: Pod) -> bool:
    told = pod.condition("PodScheduled")
    return not pod.node and told is not None and told.reason in WAITS_FOR_GANG


def _too_few(group: VolcanoGroup, there: int) -> Finding:
    return Finding(
        "volcano.too-few",
        f"its group needs {count(group.members, 'pod')} and {'has' if there else 'there are'} {there}: none "
        "starts before",
        remedies=(
            Remedy(
                "See why the others are missing (quota, admission)",
                kubectl("get", "events", namespace=group.thing.namespace),
            ),
        ),
        useless=("More nodes do not help while members are missing.",),
        weight=2,
    )
