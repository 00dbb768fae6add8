"""Workers that are made once their leader is ready: no fault, but a riddle to who counts pods.

kubernetes-sigs/lws:pkg/controllers/pod_controller.go (startupPolicy LeaderReady); no event tells of it.
"""

from bot.domain.thing import Thing
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.lws_groups import Group, size_of


def workers_later(case: Case, lws: Thing, groups: list[Group]) -> Finding | None:
    """With startupPolicy LeaderReady a group's workers are made once its leader is ready: no fault, but a riddle."""
    if case.fields(lws).text("spec", "startupPolicy") != "LeaderReady" or size_of(lws) < 2:
        return None
    alone = [one for one in groups if one.leader and len(one.pods) == 1 and not one.complete]
    if not alone:
        return None
    leaders = names([one.leader.name for one in alone if one.leader])
    return Finding(
        "groups.workers-later",
        f"The workers of {count(len(alone), 'group')} do not exist yet: `lws/{lws.key}` makes them once their leader "
        f"is ready (startupPolicy LeaderReady), and {leaders} {'is' if len(alone) == 1 else 'are'} not",
        Level.NOTE,
        until=f"{leaders} {'is' if len(alone) == 1 else 'are'} ready" if all(_starts(one) for one in alone) else "",
    )


def _starts(group: Group) -> bool:
    """Whether its leader is on its way: it has a node and has not failed yet."""
    leader = group.leader
    return leader is not None and bool(leader.node) and not any(one.restarts or one.waiting for one in leader.states)
