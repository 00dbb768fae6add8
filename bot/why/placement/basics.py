"""CPU, memory, disk, hugepages and the number of pods: short on nodes whose GPUs are free, and what helps there.

These run out first on GPU nodes, because every pod takes some and only a few take GPUs. Each remedy was tried.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.quantity import shown
from bot.domain.words import names
from bot.gpu.kind import is_gpu_resource
from bot.why.change import Request, World
from bot.why.placement import template
from bot.why.placement.blocker import Kind
from bot.why.placement.blockers import resource_name
from bot.why.placement.nodes import Survey

LACKING = frozenset({Kind.SHORT, Kind.SMALL, Kind.NONE})
LEAST_SHARE = 0.25  # of what is asked for: a pod that asks for 64 CPUs is not helped by 2
GIB = 2**30


def scarce(survey: Survey) -> str:
    """The one resource beside GPUs whose lack alone keeps the pod from nodes; empty where GPUs are short there too."""
    found = [
        one.about
        for group in survey.groups
        if group.kinds <= LACKING and len({each.about for each in group.blockers}) == 1
        for one in group.blockers
    ]
    return "" if not found or any(map(is_gpu_resource, found)) else found[0]


def remedies(survey: Survey, world: World) -> Iterator[Remedy]:
    """To ask for less; for what a node never gives out more of, how it is set."""
    resource = scarce(survey)
    if resource == "pods":
        yield Remedy(
            "Let these nodes take more pods (`maxPods` of the kubelet; on EKS with prefixes for the CNI)",
            cost="the kubelet has to be restarted, or the node made anew",
        )
        return
    if resource and (found := _less(survey, world, resource)):
        yield found
    if resource.startswith("hugepages-"):
        yield Remedy(
            f"Reserve {resource} on the nodes at boot (kernel parameters `hugepagesz` and `hugepages`)",
            cost="the node has to be restarted; what is reserved is no memory for others any more",
        )


def _less(survey: Survey, world: World, resource: str) -> Remedy | None:
    asked = survey.pod.requests.get(resource, 0)
    most = max((survey.free(name, resource) for name in survey.possible), default=0)
    unit, whole = (1000, most // 1000) if resource == "cpu" else (GIB, most // GIB)
    wanted = whole * unit
    if whole < 1 or wanted >= asked or wanted < asked * LEAST_SHARE or "/" in resource:
        return None
    fits = Request(resource, wanted).apply(world).fits(at_most=2)
    if not fits:
        return None
    way = template.less(survey, resource, f"{whole}" if resource == "cpu" else f"{whole}Gi")
    return Remedy(
        f"Ask for {shown(resource, wanted)} {resource_name(resource)} instead of {shown(resource, asked)}: fits on "
        f"{names(fits)} now{way.how}",
        way.command,
        verified=True,
        cost="; ".join(one for one in ("only if that is enough for it", way.cost) if one),
    )
