"""What can be tried on a copy of the cluster: for people's `if …`, and for every remedy before it is shown.

A `World` is the pod and the state it is judged in. Changes never touch the view.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from bot.domain.node import LIFECYCLE_TAINTS, Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec, Toleration
from bot.scheduling.evaluate import evaluate
from bot.scheduling.feasible import feasible_on
from bot.scheduling.state import State
from bot.why.amounts import said

HOSTNAME = "kubernetes.io/hostname"
CORDON_TAINT = "node.kubernetes.io/unschedulable"


@dataclass(frozen=True, slots=True)
class World:
    """The pod as it would be, and the cluster as it would be."""

    pod: Pod
    state: State

    def fits(self, nodes: Iterable[str] | None = None, at_most: int = 0) -> tuple[str, ...]:
        """The nodes where the pod would be placed, of these (None: all). Stops at `at_most`; 0: finds all."""
        return feasible_on(self.pod, self.state, nodes, at_most=at_most or None)


class Change(Protocol):
    """`words` say what would be different: "with gpu-3 uncordoned"."""

    @property
    def words(self) -> str: ...

    def apply(self, world: World) -> World: ...


def spec_with(pod: Pod, **changed: object) -> Pod:
    """The pod with another spec."""
    spec: PodSpec = msgspec.structs.replace(pod.spec, **changed)
    return msgspec.structs.replace(pod, spec=spec)


@dataclass(frozen=True, slots=True)
class Uncordon:
    """As `kubectl uncordon`: the taint that cordoning sets goes too."""

    node: str

    @property
    def words(self) -> str:
        return f"with {self.node} uncordoned"

    def apply(self, world: World) -> World:
        node = world.state.info(self.node).node
        taints = tuple(taint for taint in node.taints if taint.key != CORDON_TAINT)
        changed = msgspec.structs.replace(node, unschedulable=False, taints=taints)
        return World(world.pod, world.state.with_node(changed))


@dataclass(frozen=True, slots=True)
class Untaint:
    """Take the taints with that key from a node."""

    node: str
    key: str

    @property
    def words(self) -> str:
        return f"without the taint {self.key} on {self.node}"

    def apply(self, world: World) -> World:
        node = world.state.info(self.node).node
        taints = tuple(taint for taint in node.taints if taint.key != self.key)
        return World(world.pod, world.state.with_node(msgspec.structs.replace(node, taints=taints)))


@dataclass(frozen=True, slots=True)
class Tolerate:
    """The pod tolerates a taint key; with an empty value any value of it, with an empty effect any effect."""

    key: str
    value: str = ""
    effect: str = ""

    @property
    def words(self) -> str:
        value = f"={self.value}" if self.value else ""
        return f"if it tolerates {self.key}{value}{f':{self.effect}' if self.effect else ''}"

    def apply(self, world: World) -> World:
        operator = "Equal" if self.value else "Exists"
        wanted = Toleration(self.key, operator, self.value, self.effect)
        return World(spec_with(world.pod, tolerations=(*world.pod.spec.tolerations, wanted)), world.state)


@dataclass(frozen=True, slots=True)
class Request:
    """The pod asks for another amount of one resource; for another resource of as much, where `instead_of` names it."""

    resource: str
    amount: int
    instead_of: str = ""

    @property
    def words(self) -> str:
        return f"if it asks for {said(self.resource, self.amount)}"

    def apply(self, world: World) -> World:
        kept = {name: value for name, value in world.pod.requests.items() if name != self.instead_of}
        asked = {**kept, self.resource: self.amount}
        return World(msgspec.structs.replace(world.pod, requests=asked), world.state)


@dataclass(frozen=True, slots=True)
class End:
    """These pods are gone. `title` is what people call them."""

    pods: tuple[Pod, ...]
    title: str

    @property
    def words(self) -> str:
        return f"without {self.title}"

    def apply(self, world: World) -> World:
        return World(world.pod, world.state.without_pods(self.pods))


@dataclass(frozen=True, slots=True)
class AddNode:
    """New, empty, ready nodes like one that exists."""

    like: str
    count: int = 1

    @property
    def words(self) -> str:
        return f"with {'a new node' if self.count == 1 else f'{self.count} new nodes'} like {self.like}"

    def names(self) -> tuple[str, ...]:
        return tuple(f"new-{index}-like-{self.like}" for index in range(1, self.count + 1))

    def apply(self, world: World) -> World:
        model = world.state.info(self.like).node
        state = world.state
        for name in self.names():
            state = state.with_new_node(fresh(model, name))
        return World(world.pod, state)


def fresh(model: Node, name: str) -> Node:
    """A node as `model` was when it was new: whole, not cordoned, without the taints of its troubles."""
    allocatable = {key: max(value, model.allocatable.get(key, 0)) for key, value in model.capacity.items()}
    for own in ("cpu", "memory", "ephemeral-storage", "pods"):  # part of these is kept for the system on any node
        if own in model.allocatable:
            allocatable[own] = model.allocatable[own]
    return msgspec.structs.replace(
        model,
        name=name,
        uid="",
        labels={**model.labels, HOSTNAME: name},
        unschedulable=False,
        taints=tuple(taint for taint in model.taints if taint.key not in LIFECYCLE_TAINTS),
        allocatable=allocatable or model.allocatable,
        cordoned_by="",
        deleted="",
    )


@dataclass(frozen=True, slots=True)
class DropSelector:
    """The pod asks no more for a label of its node."""

    key: str

    @property
    def words(self) -> str:
        return f"if it does not ask for the label {self.key}"

    def apply(self, world: World) -> World:
        spec = world.pod.spec
        selector = {key: value for key, value in spec.node_selector.items() if key != self.key}
        terms = spec.node_terms
        if terms is not None:
            terms = tuple(
                msgspec.structs.replace(term, expressions=tuple(one for one in term.expressions if one.key != self.key))
                for term in terms
            )
            terms = None if any(not term.expressions and not term.fields for term in terms) else terms
        return World(spec_with(world.pod, node_selector=selector, node_terms=terms), world.state)


@dataclass(frozen=True, slots=True)
class HonorTaints:
    """Its spread constraints count only nodes whose taints it tolerates (nodeTaintsPolicy: Honor)."""

    @property
    def words(self) -> str:
        return "if its spread constraints leave out nodes whose taints it does not tolerate"

    def apply(self, world: World) -> World:
        spread = tuple(msgspec.structs.replace(one, honors_taints=True) for one in world.pod.spec.spread)
        return World(spec_with(world.pod, spread=spread), world.state)


@dataclass(frozen=True, slots=True)
class SoftSpread:
    """Its spread constraints are wishes only (whenUnsatisfiable: ScheduleAnyway)."""

    @property
    def words(self) -> str:
        return "if its spread constraints are wishes only"

    def apply(self, world: World) -> World:
        spread = tuple(one for one in world.pod.spec.spread if not one.hard)
        return World(spec_with(world.pod, spread=spread), world.state)


@dataclass(frozen=True, slots=True)
class Priority:
    """The pod has that priority, and may evict pods of a lower one."""

    value: int
    name: str

    @property
    def words(self) -> str:
        return f"with the priority class {self.name}"

    def apply(self, world: World) -> World:
        pod = msgspec.structs.replace(world.pod, priority=self.value, priority_class=self.name)
        return World(spec_with(pod, preemption_policy="PreemptLowerPriority"), world.state)

    def victims(self, world: World) -> tuple[str, tuple[Pod, ...]] | None:
        """The node and the pods that the scheduler would evict for it; None where that would not help."""
        changed = self.apply(world)
        found = evaluate(changed.pod, changed.state).preemption
        return (found.node, found.victims) if found else None


def all_of(changes: Iterable[Change], world: World) -> World:
    """One after the other."""
    for change in changes:
        world = change.apply(world)
    return world
