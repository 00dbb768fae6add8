"""Amounts that are left on one node as pods come back to it: arithmetic for the dry run of a preemption."""

from collections.abc import Mapping

from bot.domain.pod import Pod


class Room:
    """`left`: of each resource that counts, once the pod in question is there too. `pods`: how many more may come."""

    def __init__(self, left: Mapping[str, int], pods: int) -> None:
        self._left = dict(left)
        self._pods = pods
        self._too_much: set[int] = set()  # by identity: what did not fit will not fit later either

    def take(self, pod: Pod) -> bool:
        """Whether the pod finds room; then it takes it."""
        requests, left = pod.requests, self._left
        if not self._pods or id(requests) in self._too_much:
            return False
        for name, have in left.items():
            if requests.get(name, 0) > have:
                self._too_much.add(id(requests))
                return False
        for name in left:
            left[name] -= requests.get(name, 0)
        self._pods -= 1
        return True

    def give_back(self, pod: Pod) -> None:
        """The pod that came last is gone again."""
        for name in self._left:
            self._left[name] += pod.requests.get(name, 0)
        self._pods += 1
        self._too_much.clear()
