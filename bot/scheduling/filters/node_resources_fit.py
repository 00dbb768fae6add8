"""NodeResourcesFit: what the pod asks for must be free on one node. Only allocatable counts, never capacity.

`detail` is one Shortage per reason. An extended resource that a DeviceClass stands behind is left to DynamicResources
on nodes that do not offer it themselves (release 1.35 and newer: allocatable 0 or absent).
"""

import msgspec

from bot.domain.pod import Pod
from bot.scheduling.columns import Column, amounts, crossed
from bot.scheduling.framework import Code, Failure, Filter, PreFilterResult
from bot.scheduling.room import Room, Wants
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import NodeInfo, State

FIRST = ("cpu", "memory", "ephemeral-storage")  # in the scheduler's order; the others follow by name
Short = tuple[str, int, int, int]  # the fields of a Shortage


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


class Asked:
    """What the pod asks for, in order, without zeros; and what was said of nodes where the same is short."""

    def __init__(self, pod: Pod, state: State) -> None:
        asked = {name: pod.requests.get(name, 0) for name in FIRST} | dict(sorted(pod.requests.items()))
        self.amounts = tuple((name, value) for name, value in asked.items() if value and name != "pods")
        self._classes = state.extended_resources if any(name not in FIRST for name, _ in self.amounts) else {}
        self._failures: dict[tuple[Short, ...], Failure] = {}
        self.wants: dict[tuple[str, ...], Wants] = {}  # by the resources that count (see Room)

    def left_to_devices(self, resource: str) -> bool:
        return resource in self._classes and resource not in FIRST

    def failure(self, *short: Short) -> Failure:
        """Thousands of nodes are short of the same: they share one failure."""
        known = self._failures.get(short)
        if known is None:
            detail = tuple(Shortage(*one) for one in short)
            code = Code.UNRESOLVABLE if any(one.too_small for one in detail) else Code.UNSCHEDULABLE
            known = self._failures[short] = Failure(code, tuple(one.reason for one in detail), detail)
        return known


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    return PreFilterResult(data=Asked(pod, state))


def node_resources_fit(pod: Pod, info: NodeInfo, data: Asked, state: State) -> Failure | None:
    del pod, state
    allocatable, used = info.node.allocatable, info.requested
    short: list[Short] = []
    pods, room = used.get("pods", 0), allocatable.get("pods", 0)
    if pods + 1 > room:
        short.append(("pods", 1, pods, room))
    for name, value in data.amounts:
        taken, offered = used.get(name, 0), allocatable.get(name, 0)
        if value > offered - taken and not (offered <= 0 and data.left_to_devices(name)):
            short.append((name, value, taken, offered))
    return data.failure(*short) if short else None


def column(pod: Pod, snapshot: Snapshot, data: Asked) -> list[Failure | None]:
    """Nodes that are short of the same by the same amounts share one failure."""
    del pod
    asked = (("pods", 1), *data.amounts)
    parts = [_part(snapshot, name, value, data) for name, value in asked]
    short = [part for part in parts if any(part.values)]
    if not short:
        return [None] * len(snapshot.infos)
    whole = crossed(short)
    return whole.told([data.failure(*found) if (found := tuple(filter(None, row))) else None for row in whole.values])


def _part(snapshot: Snapshot, name: str, value: int, data: Asked) -> Column:
    """What is short of one resource: None where nothing is, which is one value."""
    every, devices = amounts(snapshot, name), data.left_to_devices(name)
    short = [
        (name, value, taken, offered) if value > offered - taken and not (offered <= 0 and devices) else None
        for taken, offered in every.values
    ]
    kinds = [kind + 1 if one is not None else 0 for kind, one in enumerate(short)]
    return Column(every.told(kinds), [None, *short], [])


def room(data: Asked, info: NodeInfo) -> Room:
    allocatable, used = info.node.allocatable, info.requested
    left = {
        name: offered - used.get(name, 0) - value
        for name, value in data.amounts
        if (offered := allocatable.get(name, 0)) > 0 or not data.left_to_devices(name)
    }
    wants = data.wants.setdefault(tuple(left), {})
    return Room(left, allocatable.get("pods", 0) - used.get("pods", 0) - 1, wants)


FILTER = Filter(
    name="NodeResourcesFit",
    docs="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    prefilter=prefilter,
    filter=node_resources_fit,
    column=column,
    room=room,
)
