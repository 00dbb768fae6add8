"""Chance, with the words in which the other modules speak of it."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class Draw(random.Random):
    """The same seed draws the same things in the same order, always."""

    def chance(self, share: float) -> bool:
        return self.random() < share

    def one(self, items: Iterable[T]) -> T:
        return self.choice(list(items))

    def some(self, items: Sequence[T], most: int) -> list[T]:
        """Different ones, at least one."""
        return self.sample(items, min(len(items), self.randint(1, most)))

    def by_weight(self, weights: Mapping[T, float]) -> T:
        return self.choices(list(weights), list(weights.values()))[0]

    def maybe(self, share: float, **fields: Any) -> dict[str, Any]:
        """The fields, or none."""
        return fields if self.chance(share) else {}
