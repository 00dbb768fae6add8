"""One attempt to place one pod: every PreFilter asked once, then any filter on any node, also "what if".

Pods that are nominated to a node and that this pod must yield to (priority at least its own) count there: a node must
pass with them and without them. kubernetes/kubernetes:pkg/scheduler/framework/runtime/framework.go
(RunFilterPluginsWithNominatedPods).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.domain.pod import Pod
from bot.scheduling.framework import Code, Failure, Filter, profile
from bot.scheduling.state import NodeInfo, State


class Rejection(NamedTuple):
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

    def failures(self, info: NodeInfo) -> tuple[tuple[Rejection, ...], Rejection | None]:
        """All filters that fail on that node, each asked by itself; and the one that the scheduler would report."""
        pod, state = self.pod, self.state
        plain = _failing(self.active, pod, info, state)
        nominees = self._nominees(info)
        if not nominees:
            return tuple(plain), _reported(plain)
        crowded = _failing(*_with(self.active, pod, info, nominees), state)
        by_name = {one.plugin: one for one in plain} | {one.plugin: one for one in crowded}
        every = tuple(by_name[one.name] for one, _ in self.active if one.name in by_name)
        return every, _reported(crowded or plain)

    def first(self, trial: "Trial") -> Rejection | None:
        """The plugin that turns that node down as it is in the trial; None where the pod fits."""
        nominees = self._nominees(trial.info)
        if nominees:
            crowded = _failing(*_with(trial.active, self.pod, trial.info, nominees), self.state)
            if crowded:
                return _reported(crowded)
        pod, info, state = self.pod, trial.info, self.state
        for one, data in trial.active:
            failure = one.filter(pod, info, data, state)  # type: ignore[misc]  # only filters with one become active
            if failure is not None:
                return _reported([Rejection(one.name, failure)])
        return None

    def trial(self, info: NodeInfo) -> "Trial":
        """A copy of a node to try evictions on: filters that no eviction can change are asked only if they fail there.

        Pods that are nominated to the node make no difference to those either.
        """
        pod, state = self.pod, self.state
        asked = [
            (one, data)
            for one, data in self.active
            if one.by_pods or one.filter(pod, info, data, state) is not None  # type: ignore[misc]
        ]
        return Trial(pod, info.copy(), _copied(tuple(asked)))

    def _nominees(self, info: NodeInfo) -> list[Pod] | None:
        if info.node.name not in self.state.nominated:
            return None
        nominees = self.state.nominees(info.node.name)
        return [one for one in nominees if one.priority >= self.pod.priority and one.key != self.pod.key]


@dataclass(frozen=True, slots=True)
class Trial:
    """A node as it would be, with all that filters count for it kept in step."""

    pod: Pod
    info: NodeInfo
    active: tuple[Active, ...]

    def add(self, other: Pod) -> None:
        self.info.add(other)
        self._update(other, +1)

    def remove(self, other: Pod) -> None:
        self.info.remove(other)
        self._update(other, -1)

    def _update(self, other: Pod, sign: int) -> None:
        for one, data in self.active:
            if one.update is not None:
                one.update(data, self.pod, other, self.info.node, sign)


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
    name, failure = failing[0]
    if failure.code is not Code.ERROR:
        return failing[0]
    text = f'running "{name}" filter plugin: {", ".join(failure.reasons)}'
    return Rejection(name, Failure(Code.ERROR, (text,), failure.detail))


def _copied(active: tuple[Active, ...]) -> tuple[Active, ...]:
    return tuple([(one, data if one.copy is None else one.copy(data)) for one, data in active])


def _with(
    active: tuple[Active, ...], pod: Pod, info: NodeInfo, nominees: list[Pod]
) -> tuple[tuple[Active, ...], Pod, NodeInfo]:
    trial = Trial(pod, info.copy(), _copied(active))
    for nominee in nominees:
        trial.add(nominee)
    return trial.active, pod, trial.info
