"""Which node publishes which devices, and which claim holds which device (dynamic resource allocation)."""

from collections.abc import Iterator

from bot.domain.dra import Allocated, ResourceClaim, ResourceSlice
from bot.domain.record import Record


class DeviceIndex:
    """Kept by the view as slices and claims come and go.

    Several claims may hold one device: with admin access, or where its capacity is shared out.
    """

    def __init__(self) -> None:
        self.slices_by_node: dict[str, set[ResourceSlice]] = {}
        self.holders: dict[Allocated, list[ResourceClaim]] = {}
        self._node_of_pool: dict[tuple[str, str], str] = {}

    def replace(self, old: Record | None, new: Record | None) -> set[str]:
        """Take `old` out, put `new` in; the names of the nodes whose devices that concerns."""
        touched: set[str] = set()
        if isinstance(old, ResourceSlice):
            touched |= self._take_slice(old)
        elif isinstance(old, ResourceClaim):
            touched.update(self._take_claim(old))
        if isinstance(new, ResourceSlice):
            touched |= self._put_slice(new)
        elif isinstance(new, ResourceClaim):
            touched.update(self._put_claim(new))
        return touched - {""}

    def _put_slice(self, record: ResourceSlice) -> set[str]:
        if record.node:
            self.slices_by_node.setdefault(record.node, set()).add(record)
            self._node_of_pool[record.driver, record.pool] = record.node
        return {record.node}

    def _take_slice(self, record: ResourceSlice) -> set[str]:
        slices = self.slices_by_node.get(record.node)
        if slices is not None:
            slices.discard(record)
            if not slices:
                del self.slices_by_node[record.node]
        return {record.node}

    def _put_claim(self, claim: ResourceClaim) -> Iterator[str]:
        for device in claim.allocated:
            self.holders.setdefault(device, []).append(claim)
            yield self._node_of_pool.get((device.driver, device.pool), "")

    def _take_claim(self, claim: ResourceClaim) -> Iterator[str]:
        for device in claim.allocated:
            others = [other for other in self.holders.pop(device, ()) if other is not claim]
            if others:
                self.holders[device] = others
            yield self._node_of_pool.get((device.driver, device.pool), "")
