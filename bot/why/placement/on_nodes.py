"""CPU, memory and the like: which of the nodes in question comes nearest, and that GPUs are free there."""

from bot.domain.quantity import shown
from bot.domain.words import names
from bot.why.amounts import said
from bot.why.placement.nodes import NodeGroup, Survey
from bot.why.placement.origin import asked, by_default
from bot.why.placement.told import Headline


def headline(survey: Survey, group: NodeGroup, resource: str) -> Headline:
    """CPU, memory and the like on nodes that have the GPUs."""
    best = _best(survey, group, resource)
    most = survey.free(best, resource)
    amount = survey.pod.requests.get(resource, 0)
    of_all = survey.state.info(best).node.allocatable.get(resource, 0)
    wanted, whole, left = asked(survey, resource), shown(resource, of_all), shown(resource, max(0, most))
    if resource == "pods":
        take = "takes" if len(group.nodes) == 1 else "take"
        sentence = f"{names(group.nodes)} {take} no more pods ({of_all} is the limit)"
    elif amount > of_all:
        has = f"{whole} in all ({best})" if of_all else f"none ({best})"
        sentence = f"it asks for {wanted}, and the largest node in question has {has}"
    else:
        sentence = f"it needs {wanted}, and at most {left} of {whole} are free on one node ({best})"
    numbers: dict[str, object] = {"asked": amount, "free": most, "resource": resource}
    text = f"{sentence}{_although(survey, best, resource)}"
    return Headline(f"resources.{_slug(resource)}", text, by_default(survey, resource), numbers=numbers)


def _best(survey: Survey, group: NodeGroup, resource: str) -> str:
    """The node that comes nearest, of all that lack it: by what is free, and where none is large enough by its size."""
    lacking = [one for one in survey.groups if any(each.about == resource for each in one.blockers)] or [group]
    nodes = [name for one in lacking for name in one.nodes]
    sizes = {name: survey.state.info(name).node.allocatable.get(resource, 0) for name in nodes}
    amount = survey.pod.requests.get(resource, 0)
    enough = [name for name in nodes if sizes[name] >= amount]
    return max(enough, key=lambda name: survey.free(name, resource)) if enough else max(nodes, key=sizes.__getitem__)


def _although(survey: Survey, name: str, resource: str) -> str:
    """That there are GPUs enough where something else is short."""
    free = survey.free(name)
    if not survey.main or survey.main == resource or free < survey.asked:
        return ""
    return f", although {said(survey.main, free)} {'is' if free == 1 else 'are'} free there"


def _slug(resource: str) -> str:
    return resource if resource in ("cpu", "memory", "pods", "ephemeral-storage") else "other"
