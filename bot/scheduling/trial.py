"""One node on which evictions are tried: all pods of lower priority are gone, then one after the other comes back.

Few pods matter to any filter but the one that counts amounts, and for amounts arithmetic is enough. So only those few
are really put there, and only filters that mind one of them, or that fail anyway, are asked.
"""

from collections.abc import Collection

from bot.domain.pod import Pod
from bot.scheduling.cycle import Active, Cycle, Rejection, copied
from bot.scheduling.node_info import NodeInfo


class Trial:
    """`gone` are the pods that may come back, `failing` all filters that turn the node down as it is."""

    def __init__(
        self, cycle: Cycle, info: NodeInfo, stay: Collection[Pod], gone: Collection[Pod], failing: Collection[Rejection]
    ) -> None:
        names = {one.plugin for one in failing}
        self._cycle = cycle
        self._nominees = cycle.nominees(info)
        self._minded: set[Pod] = set(gone) if self._nominees else set()
        asked: list[Active] = []
        for one, data in cycle.active:
            minded = [pod for pod in gone if one.minds(data, pod)] if one.minds is not None else ()
            self._minded.update(minded)
            if minded or one.room is not None or one.name in names:
                asked.append((one, data))
        self._active = copied(asked, info.node)
        self._info = info.keeping(stay, gone)
        for pod in self._minded:
            self._update(pod, -1)
        self._room = next((one.room(data, self._info) for one, data in asked if one.room), None)

    def first(self) -> Rejection | None:
        """The plugin that turns the node down as it is now; None where the pod fits."""
        return self._cycle.first_of(self._active, self._info, self._nominees)

    def takes_back(self, pod: Pod) -> bool:
        """Whether the pod in question still fits with this one there; then it stays. It must fit before."""
        if self._room is not None and not self._room.take(pod):
            return False
        if self._room is not None and pod not in self._minded:
            return True
        self._info.add(pod)
        self._update(pod, +1)
        if self.first() is None:
            return True
        self._info.remove(pod)
        self._update(pod, -1)
        if self._room is not None:
            self._room.give_back(pod)
        return False

    def _update(self, other: Pod, sign: int) -> None:
        for one, data in self._active:
            if one.update is not None:
                one.update(data, self._cycle.pod, other, self._info.node, sign)
