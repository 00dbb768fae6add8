"""A record for kinds that only explanations read: metadata as in every record, the rest as its JSON.

Deployments, queues, quotas, node claims: few of them, read seldom, and their shape differs between versions. They are
kept as bytes (the smallest form) and read through `Fields`, which never trusts them.
"""

from functools import lru_cache
from typing import Any

import msgspec

from bot.domain.fields import Fields
from bot.domain.record import NONE, Labels, Owner, Record

EMPTY = b"{}"


class Thing(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """`raw` is the object's JSON without metadata; `annotations` stand beside it. No namespace: it is cluster-wide."""

    kind: str
    namespace: str = ""
    api_version: str = ""
    labels: Labels = NONE
    annotations: Labels = NONE
    owner: Owner | None = None
    deleted: str = ""
    generation: int = 0
    raw: bytes = EMPTY

    @property
    def key(self) -> str:
        """As in the view's table."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def title(self) -> str:
        """As people type it: `deployment/glm`."""
        return f"{self.kind.lower()}/{self.name}"

    @property
    def fields(self) -> Fields:
        """Spec, status and whatever else it has at its top."""
        return Fields(_decoded(self.raw), f"{self.kind} {self.key}")

    def told(self, odd: list[str]) -> Fields:
        """The same, with a list that collects fields of the wrong type."""
        return Fields(_decoded(self.raw), f"{self.kind} {self.key}", odd)


@lru_cache(maxsize=4096)
def _decoded(raw: bytes) -> Any:
    """Never changed by its readers: `Fields` only reads."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def plural(kind: str) -> str:
    """The table of a kind that objects call themselves: `Deployment` → `deployments`."""
    low = kind.lower()
    if low.endswith(("s", "x", "ch")):
        return f"{low}es"
    return f"{low[:-1]}ies" if low.endswith("y") else f"{low}s"
