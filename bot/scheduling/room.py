"""Amounts that are left on one node as pods come back to it: arithmetic for the dry run of a preemption."""

from collections.abc import Mapping

from bot.domain.pod import Pod
from bot.domain.record import Amounts

Wants = dict[int, tuple[Amounts, tuple[tuple[int, int], ...]]]
"""Of requests, by their identity: themselves, so that they stay, and how much of which resource that counts."""


class Room:
    """`left`: of each resource that counts, once the pod in question is there too. `pods`: how many more may come.

    `wants` is kept for pods that share their requests, on all nodes where the same resources count.
    """

    def __init__(self, left: Mapping[str, int], pods: int, wants: Wants | None = None) -> None:
        self._names = tuple(left)
        self._left = list(left.values())
        self._pods = pods
        self._wants = {} if wants is None else wants

    def take(self, pod: Pod) -> bool:
        """Whether the pod finds room; then it takes it."""
        left, wanted = self._left, self._wanted(pod)
        if not self._pods:
            return False
        for place, amount in wanted:
            if amount > left[place]:
                return False
        for place, amount in wanted:
            left[place] -= amount
        self._pods -= 1
        return True

    def give_back(self, pod: Pod) -> None:
        """The pod that came last is gone again."""
        for place, amount in self._wanted(pod):
            self._left[place] += amount
        self._pods += 1

    def _wanted(self, pod: Pod) -> tuple[tuple[int, int], ...]:
        """Nothing of what is not asked for: the pod in question fits, so that there is never less than nothing left."""
        requests = pod.requests
        known = self._wants.get(id(requests))
        if known is None:
            asked = ((place, requests.get(name, 0)) for place, name in enumerate(self._names))
            known = self._wants[id(requests)] = requests, tuple((place, amount) for place, amount in asked if amount)
        return known[1]
