"""Identities: uids and generated name suffixes, the same on every run with the same seed."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable

from bot.local.cluster.store import errors
from bot.local.cluster.store.resources import Resource

# kubernetes/kubernetes:staging/src/k8s.io/apimachinery/pkg/util/rand: no vowels, no 0, 1 and 3
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
_LONGEST_BASE = 63 - _SUFFIX_LENGTH
_TRIES = 8  # as the API server since 1.32: one suffix in 14 million is taken easily enough at 5,000 pods


class Names:
    """Deals out identities from one seeded source."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def uid(self) -> str:
        """Return a version 4 UUID."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def suffix(self) -> str:
        """Return five letters as the API server appends them to `generateName`."""
        return "".join(self._random.choices(_ALPHABET, k=_SUFFIX_LENGTH))

    def generate(self, resource: Resource, base: str, taken: Callable[[str], bool]) -> str:
        """Return a free name that starts with `base`; ApiError 409 when eight tries were all taken."""
        for _ in range(_TRIES):
            name = base[:_LONGEST_BASE] + self.suffix()
            if not taken(name):
                return name
        raise errors.already_exists(resource, name)
