"""Who holds how many of which kind, the largest first: thousands of owners, folded without a call for each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from bot.gpu.kind import Kind

TOLD = 200  # so many are told by name, all others together


@dataclass(slots=True)
class Held:
    """`amounts` is by kind over all holders; `kinds` and `all` map each holder to what it holds."""

    amounts: dict[Kind, int] = field(default_factory=dict)
    kinds: dict[Kind, dict[str, int]] = field(default_factory=dict)
    all: dict[str, int] = field(default_factory=dict)

    def add(self, kind: Kind, holders: Mapping[str, int]) -> None:
        self.amounts[kind] = self.amounts.get(kind, 0) + sum(holders.values())
        _merge(self.kinds.setdefault(kind, {}), holders)
        _merge(self.all, holders)

    def largest(self, at_most: int = TOLD) -> list[tuple[str, dict[Kind, int]]]:
        """Holder → kind → amount; who holds as many as another stands in alphabetical order."""
        order = sorted(sorted(self.all), key=self.all.__getitem__, reverse=True)
        return [(who, self._of(who)) for who in islice(order, at_most)]

    def rest(self, told: Iterable[tuple[str, dict[Kind, int]]]) -> dict[Kind, int]:
        """What all others hold together."""
        left = dict(self.amounts)
        for _, amounts in told:
            for kind, amount in amounts.items():
                left[kind] -= amount
        return {kind: amount for kind, amount in left.items() if amount}

    def _of(self, who: str) -> dict[Kind, int]:
        return {kind: holders[who] for kind, holders in self.kinds.items() if who in holders}


def _merge(into: dict[str, int], more: Mapping[str, int]) -> None:
    if into.keys().isdisjoint(more):
        into.update(more)
        return
    for who, amount in more.items():
        into[who] = into.get(who, 0) + amount
