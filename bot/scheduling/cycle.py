"""One attempt to place one pod: every PreFilter asked once, then any filter on any node, also "what if".

Pods that are nominated to a node and that this pod must yield to (priority at least its own) count there: a node must
pass with them and without them. kubernetes/kubernetes:pkg/scheduler/framework/runtime/framework.go
(RunFilterPluginsWithNominatedPods).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.scheduling.columns import combined
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

    def everywhere(self) -> tuple[dict[str, tuple[Rejection, ...]], dict[str, Rejection]]:
        """`failures` of all nodes, by name; of a node that will do there is nothing in the second.

        Each filter goes through all nodes at one stretch. Nodes of which all filters say the very same share a tuple.
        """
        infos, promised = list(self.state.infos()), self.state.nominated
        columns = [self._column(one, data, infos) for one, data in self.active]
        alike = combined([list(map(id, column)) for column in columns if any(column)], len(infos))
        told = [self._told([column[number] for column in columns]) for number in alike.samples]
        names = [info.node.name for info in infos]
        every = dict(zip(names, alike.told([one for one, _ in told]), strict=True))
        kinds = zip(names, alike.told([one for _, one in told]), strict=True)
        first = {name: one for name, one in kinds if one is not None}
        for info in infos if promised else ():
            name = info.node.name
            if name in promised and (nominees := self.nominees(info)):
                every[name], reported = self._crowded(info, nominees, list(every[name]))
                first.pop(name, None)
                if reported is not None:
                    first[name] = reported
        return every, first

    def _told(self, failures: Iterable[Failure | None]) -> tuple[tuple[Rejection, ...], Rejection | None]:
        """What each active filter says, and what of that the scheduler would report."""
        named = zip(self.active, failures, strict=True)
        failing = [Rejection(one.name, failure) for (one, _), failure in named if failure is not None]
        return tuple(failing), _reported(failing)

    def _column(self, one: Filter, data: Any, infos: list[NodeInfo]) -> list[Failure | None]:
        """What one filter says of each node."""
        pod, state, ask = self.pod, self.state, one.filter
        if one.column is not None and not state.changed:
            return one.column(pod, state.snapshot, data)
        return [ask(pod, info, data, state) for info in infos]  # type: ignore[misc]  # only with one it becomes active

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
        """Pods promised to that node that this one must yield to. One that is kept out of the queue holds no room."""
        state, pod = self.state, self.pod
        if info.node.name not in state.nominated:
            return []
        ahead = [one for one in state.nominees(info.node.name) if one.priority >= pod.priority and one.key != pod.key]
        return [one for one in ahead if kept_out(one, state) is None]


def kept_out(pod: Pod, state: State) -> Rejection | None:
    """What keeps the pod out of the queue: gates, claims that nobody has made. It is not tried, and nominated nowhere.

    kubernetes/kubernetes:pkg/scheduler/backend/queue/scheduling_queue.go (runPreEnqueuePlugins)
    """
    for one in profile():
        failure = one.preenqueue(pod, state) if one.preenqueue else None
        if failure is not None:
            return Rejection(one.name, failure)
    return None


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
