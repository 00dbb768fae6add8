"""How a sentence about a group of nodes begins, and how the pods on them and what chooses them are called."""

from collections.abc import Sequence

from bot.domain.pod import Pod
from bot.domain.selectors import Requirement, Selector
from bot.domain.words import count, names
from bot.gpu.owners import top_owner
from bot.why.amounts import said
from bot.why.placement.blockers import resource_name
from bot.why.placement.nodes import NodeGroup, Survey


def which(group: NodeGroup) -> str:
    """`gpu-1 and gpu-2`, or `12 nodes`."""
    return names(group.nodes) if len(group.nodes) <= 3 else count(len(group.nodes), "node")


def room(survey: Survey, group: NodeGroup) -> str:
    """`has room ` before the `but`; what is free there where that is a number of GPUs."""
    if survey.main:
        free = [survey.free(name) for name in group.nodes]
        if len(free) == 1:
            if free[0] < survey.asked:
                return f"has {free[0]} of the {survey.asked} {resource_name(survey.main)} free "
            return f"has {said(survey.main, free[0])} free "
    return "has room " if len(group.nodes) == 1 else "have room "


def own(survey: Survey, pods: Sequence[Pod]) -> bool:
    """Whether all of them belong to the owner of the pod that waits."""
    view, mine = survey.state.view, top_owner(survey.state.view, survey.pod)
    return all(pod.namespace == survey.pod.namespace and top_owner(view, pod) == mine for pod in pods)


def pods(survey: Survey, found: Sequence[Pod], shown: int = 3) -> str:
    """Named as short as can be: without the namespace where it is the pod's own."""
    space = survey.pod.namespace
    return names([f"`{one.name if one.namespace == space else one.key}`" for one in found], shown)


def selected(selector: Selector) -> str:
    """`app=kv-cache,tier in (a,b)`: as kubectl takes it."""
    return ",".join(_condition(one) for one in selector.requirements) or "any label"


def _condition(one: Requirement) -> str:
    match one.operator:
        case "In" if len(one.values) == 1:
            return f"{one.key}={one.values[0]}"
        case "NotIn" if len(one.values) == 1:
            return f"{one.key}!={one.values[0]}"
        case "In" | "NotIn":
            return f"{one.key} {one.operator.lower()} ({','.join(one.values)})"
        case "DoesNotExist":
            return f"!{one.key}"
        case _:
            return one.key
