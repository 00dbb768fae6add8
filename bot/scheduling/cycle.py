"""One attempt to place one pod: every PreFilter asked once, then any filter on any node, also "what if".

Pods that are nominated to a node and that this pod must yield to (priority at least its own) count there: a node must
pass with them and without them. kubernetes/kubernetes:pkg/scheduler/framework/runtime/framework.go
(RunFilterPluginsWithNominatedPods).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.scheduling.framework import Code, Failure, Filter, profile
from bot.scheduling.state import NodeInfo, State


class Rejection(msgspec.Struct, frozen=True, gc=False):
    """A plugin and why it said no. `plugin` names several, with commas, where they left no node in common."""

    plugin: str
    failure: Failure


Active = tuple[Filter, Any]  # a filter that has something to say to this pod, with the data of its prefilter


@dataclass(frozen=True, slots=True)
class Cycle:
    """`rejections` are all plugins that turn the pod down before any node is looked at, in order.

    `narrowers` are the plugins that left only `nodes` (None: all). `ended` is what ends the cycle in PreFilter, if
    anything does. `active` are the filters that ask nodes, `postfilters` the plugins with a word for the end, as
    far as the cycle got to them.
    """

    pod: Pod
    state: State
    active: tuple[Active, ...]
    rejections: tuple[Rejection, ...]
    narrowers: tuple[str, ...]
    nodes: frozenset[str] | None
    ended: Rejection | None
    postfilters: tuple[Active, ...]

    def everywhere(self) -> Iterator[tuple[str, tuple[Rejection, ...], Rejection | None]]:
        """`failures` of every node, with its name: each filter goes through all nodes at one stretch."""
        pod, state, infos = self.pod, self.state, list(self.state.infos())
        found: list[list[Rejection]] = [[] for _ in infos]
        for one, data in self.active:
            ask, name = one.filter, one.name
            for info, failing in zip(infos, found, strict=True):
                failure = ask(pod, info, data, state)  # type: ignore[misc]  # only filters with one become active
                if failure is not None:
                    failing.append(Rejection(name, failure))
        promised = state.nominated
        for info, failing in zip(infos, found, strict=True):
            name = info.node.name
            if name in promised and (nominees := self.nominees(info)):
                yield name, *self._crowded(info, nominees, failing)
            else:
                yield name, tuple(failing), _reported(failing)

    def failures(self, info: NodeInfo) -> tuple[tuple[Rejection, ...], Rejection | None]:
        """All filters that fail on that node, each asked by itself; and the one that the scheduler would report."""
        plain = _failing(self.active, self.pod, info, self.state)
        nominees = self.nominees(info)
        return self._crowded(info, nominees, plain) if nominees else (tuple(plain), _reported(plain))

    def _crowded(
        self, info: NodeInfo, nominees: list[Pod], plain: list[Rejection]
    ) -> tuple[tuple[Rejection, ...], Rejection | None]:
        """With the pods that are promised to the node there, and without them (`plain`)."""
        crowded = _failing(*_with(self.active, self.pod, info, nominees), self.state)
        by_name = {one.plugin: one for one in plain} | {one.plugin: one for one in crowded}
        every = tuple(by_name[one.name] for one, _ in self.active if one.name in by_name)
        return every, _reported(crowded or plain)

    def first(self, info: NodeInfo) -> Rejection | None:
        """The plugin that turns that node down; None where the pod fits."""
        return self.first_of(self.active, info, self.nominees(info))

    def first_of(self, active: tuple[Active, ...], info: NodeInfo, nominees: list[Pod]) -> Rejection | None:
        """As `first`, of these filters only."""
        if nominees:
            crowded = _failing(*_with(active, self.pod, info, nominees), self.state)
            if crowded:
                return _reported(crowded)
        pod, state = self.pod, self.state
        for one, data in active:
            failure = one.filter(pod, info, data, state)  # type: ignore[misc]  # only filters with one become active
            if failure is not None:
                return _reported([Rejection(one.name, failure)])
        return None

    def nominees(self, info: NodeInfo) -> list[Pod]:
        """Pods promised to that node that this one must yield to."""
        if info.node.name not in self.state.nominated:
            return []
        nominees = self.state.nominees(info.node.name)
        return [one for one in nominees if one.priority >= self.pod.priority and one.key != self.pod.key]


def begin(pod: Pod, state: State) -> Cycle:
    """Ask every PreFilter. The cycle ends at the first that rejects, or once no node is left."""
    active: list[Active] = []
    rejections: list[Rejection] = []
    postfilters: list[Active] = []
    narrowers: list[str] = []
    nodes: frozenset[str] | None = None
    ended: Rejection | None = None
    for one in profile():
        result = one.prefilter(pod, state)
        if one.postfilter is not None and ended is None:
            postfilters.append((one, None if result.skip else result.data))
        if result.rejected is not None:
            rejections.append(Rejection(one.name, result.rejected))
            ended = ended or rejections[-1]
            continue
        if result.nodes is not None and ended is None:
            narrowers.append(one.name)
            nodes = result.nodes if nodes is None else nodes & result.nodes
            ended = None if nodes else _nothing_left(narrowers)
        if one.filter is not None and not result.skip:
            active.append((one, result.data))
    if ended is not None and ended.plugin in {one.plugin for one in rejections}:
        narrowers, nodes = [], None
    return Cycle(
        pod, state, tuple(active), tuple(rejections), tuple(sorted(narrowers)), nodes, ended, tuple(postfilters)
    )


def _nothing_left(narrowers: list[str]) -> Rejection:
    names = sorted(narrowers)
    one = f"node(s) didn't satisfy plugin {names[0]}"
    several = f"node(s) didn't satisfy plugin(s) [{' '.join(names)}] simultaneously"
    return Rejection(",".join(names), Failure(Code.UNRESOLVABLE, (one if len(names) == 1 else several,)))


def _failing(active: Iterable[Active], pod: Pod, info: NodeInfo, state: State) -> list[Rejection]:
    found = []
    for one, data in active:
        failure = one.filter(pod, info, data, state)  # type: ignore[misc]  # only filters with one become active
        if failure is not None:
            found.append(Rejection(one.name, failure))
    return found


def _reported(failing: list[Rejection]) -> Rejection | None:
    """The first one. The framework says of an error which plugin it came from."""
    if not failing:
        return None
    first = failing[0]
    failure = first.failure
    if failure.code is not Code.ERROR:
        return first
    text = f'running "{first.plugin}" filter plugin: {", ".join(failure.reasons)}'
    return Rejection(first.plugin, Failure(Code.ERROR, (text,), failure.detail))


def copied(active: Iterable[Active], node: Node) -> tuple[Active, ...]:
    """With data to try changes of that node on."""
    return tuple([(one, data if one.copy is None else one.copy(data, node)) for one, data in active])


def _with(
    active: tuple[Active, ...], pod: Pod, info: NodeInfo, nominees: list[Pod]
) -> tuple[tuple[Active, ...], Pod, NodeInfo]:
    crowded, info = copied(active, info.node), info.copy()
    for nominee in nominees:
        info.add(nominee)
        for one, data in crowded:
            if one.update is not None:
                one.update(data, pod, nominee, info.node, +1)
    return crowded, pod, info
