"""What each node ran before: versions of driver, CUDA, plugin and the rest as they changed, kept over restarts.

Plain data that never changes once made: a command reads a cluster's `FleetPast` as it is in memory.
"""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

import msgspec

VALUES_AT_MOST = 20  # of one part of one node, the newest


class Held(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One version without a break. `until` is when another was first seen; None: it is what runs now.

    by: who told it (`agent`, `label`, `image`, `kubelet`).
    """

    value: str
    since: datetime
    until: datetime | None = None
    by: str = ""


class NodePast(msgspec.Struct, frozen=True, kw_only=True):
    """`parts`: part → its versions, the oldest first, the last of them without an end. `seen_at`: last looked at."""

    node: str
    parts: Mapping[str, tuple[Held, ...]] = MappingProxyType({})
    seen_at: datetime

    def now(self, part: str) -> Held | None:
        held = self.parts.get(part, ())
        return held[-1] if held else None

    def before(self, part: str) -> Held | None:
        """The one before the version that runs now."""
        held = self.parts.get(part, ())
        return held[-2] if len(held) > 1 else None


NO_NODES: Mapping[str, NodePast] = MappingProxyType({})


class FleetPast(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of one cluster's nodes, by name.

    since: when remembering began (None: it has not). trouble: empty, or why what is seen now will be forgotten.
    """

    cluster: str
    nodes: Mapping[str, NodePast] = NO_NODES
    since: datetime | None = None
    trouble: str = ""

    def of(self, node: str) -> NodePast | None:
        return self.nodes.get(node)
