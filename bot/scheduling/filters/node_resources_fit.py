"""NodeResourcesFit: what the pod asks for must be free on one node. Only allocatable counts, never capacity.

`detail` is one Shortage per reason. An extended resource that a DeviceClass stands behind is left to DynamicResources
on nodes that do not offer it themselves (release 1.35 and newer: allocatable 0 or absent).
"""

import msgspec

from bot.domain.pod import Pod
from bot.scheduling.framework import Code, Failure, Filter, PreFilterResult
from bot.scheduling.state import NodeInfo, State

FIRST = ("cpu", "memory", "ephemeral-storage")  # in the scheduler's order; the others follow by name


class Shortage(msgspec.Struct, frozen=True, gc=False):
    """What is short there, as whole numbers (see bot.domain.quantity). `free` may be negative."""

    resource: str
    requested: int
    used: int
    allocatable: int

    @property
    def free(self) -> int:
        return self.allocatable - self.used

    @property
    def too_small(self) -> bool:
        """The whole node would not be enough: evicting pods cannot help."""
        return self.resource != "pods" and self.requested > self.allocatable

    @property
    def reason(self) -> str:
        return "Too many pods" if self.resource == "pods" else f"Insufficient {self.resource}"


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    """What is asked for, in order, without zeros."""
    del state
    asked = {name: pod.requests.get(name, 0) for name in FIRST} | dict(sorted(pod.requests.items()))
    return PreFilterResult(data=tuple((name, value) for name, value in asked.items() if value and name != "pods"))


def node_resources_fit(pod: Pod, info: NodeInfo, data: tuple[tuple[str, int], ...], state: State) -> Failure | None:
    del pod
    allocatable, used = info.node.allocatable, info.requested
    short: list[Shortage] = []
    pods, room = used.get("pods", 0), allocatable.get("pods", 0)
    if pods + 1 > room:
        short.append(Shortage("pods", 1, pods, room))
    for name, value in data:
        taken, offered = used.get(name, 0), allocatable.get(name, 0)
        if value > offered - taken and not (offered <= 0 and _left_to_devices(name, state)):
            short.append(Shortage(name, value, taken, offered))
    return _failure(short) if short else None


def _left_to_devices(resource: str, state: State) -> bool:
    return resource not in FIRST and resource in state.extended_resources


def _failure(short: list[Shortage]) -> Failure:
    code = Code.UNSCHEDULABLE
    for one in short:
        if one.requested > one.allocatable and one.resource != "pods":  # Shortage.too_small, without the calls
            code = Code.UNRESOLVABLE
    return Failure(code, tuple([one.reason for one in short]), tuple(short))


FILTER = Filter(
    name="NodeResourcesFit",
    docs="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    prefilter=prefilter,
    filter=node_resources_fit,
    by_pods=True,
)
