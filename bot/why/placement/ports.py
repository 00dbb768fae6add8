"""Ports of a node that the pod wants and another one has: who has them."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.pod_spec import HostPort
from bot.domain.words import names
from bot.why.change import World, spec_with
from bot.why.placement import template
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.named import own, pods, room, which
from bot.why.placement.nodes import NodeGroup, Survey
from bot.why.placement.told import Headline


def headline(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    """Of the same owner: then one pod fits on each node, whatever else is free there."""
    port = leading.detail
    if not isinstance(port, HostPort):
        return Headline("ports", f"{which(group)} cannot take it: {leading.words}")
    there = [pod for name in group.nodes for pod in survey.state.info(name).live if _has(pod, port)]
    have = "has" if len(there) == 1 else "have"
    whose = f"{pods(survey, there)} of the same owner" if own(survey, there) else pods(survey, there)
    one_each = ": only one such pod fits on a node" if there and own(survey, there) else ""
    sentence = f"{which(group)} {room(survey, group)}but {whose} {have} host port {port.port}/{port.protocol} there"
    return Headline("ports", f"{sentence}{one_each}", numbers={"port": port.port})


def _has(pod: Pod, port: HostPort) -> bool:
    return any((one.port, one.protocol) == (port.port, port.protocol) for one in pod.spec.host_ports)


def remedies(survey: Survey, world: World) -> Iterator[Remedy]:
    """Most pods need no port of the node: a Service reaches them without."""
    if not any(Kind.PORTS in group.kinds for group in survey.groups):
        return
    if fits := World(spec_with(world.pod, host_ports=()), world.state).fits(at_most=3):
        way = template.edited(survey)
        yield Remedy(
            f"Take `hostPort` and `hostNetwork` out of its template, if a Service can reach it instead: it then fits "
            f"on {names(fits)}{way.how}",
            way.command,
            verified=True,
            cost=way.cost,
        )
