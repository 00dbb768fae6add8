"""Pools of devices as one node sees them.

kubernetes/dynamic-resource-allocation:structured/internal/incubating/pools_incubating.go. A pool counts with the slices
of its newest generation. It is incomplete while slices are missing, invalid where its slices contradict each other;
neither gives devices away.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from bot.domain.dra import NO_COUNTERS, Allocated, Counters, Device, ResourceSlice
from bot.domain.node import Node
from bot.domain.selectors import NodeTerm

PoolId = tuple[str, str]  # driver and pool


class Offer(msgspec.Struct, frozen=True, gc=False):
    """One device that the node could get. Tens of thousands are made per question."""

    id: Allocated
    device: Device
    slice: ResourceSlice


class Pool(msgspec.Struct, frozen=True, gc=False):
    """`offers` are for this node, in the order in which they are tried; `elsewhere` only share their counters."""

    driver: str
    name: str
    offers: tuple[Offer, ...] = ()
    elsewhere: tuple[Offer, ...] = ()
    counters: Counters = NO_COUNTERS
    incomplete: bool = False
    invalid: str = ""

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


class Slices:
    """All slices, by who could reach them. Made once for a pod."""

    def __init__(self, slices: Iterable[ResourceSlice]) -> None:
        self._of_node: Mapping[str, list[ResourceSlice]] = defaultdict(list)
        self._of_many: list[ResourceSlice] = []
        self._of_pool: Mapping[PoolId, list[ResourceSlice]] = defaultdict(list)
        for one in sorted(slices, key=lambda one: one.name):
            self._of_pool[one.driver, one.pool].append(one)
            if one.node and not one.counters:
                self._of_node[one.node].append(one)
            else:
                self._of_many.append(one)

    def pools(self, node: Node) -> list[Pool]:
        """In the order in which they are tried: those without binding conditions first, then by driver and name."""
        newest: dict[PoolId, list[ResourceSlice]] = {}
        for one in (*self._of_node.get(node.name, ()), *self._of_many):
            if _concerns(one, node):
                _keep_newest(newest.setdefault((one.driver, one.pool), []), one)
        found = [pool for key, slices in sorted(newest.items()) if (pool := self._pool(key, slices)) is not None]
        return sorted(found, key=lambda pool: any(offer.device.conditional for offer in pool.offers))

    def _pool(self, key: PoolId, slices: list[ResourceSlice]) -> Pool | None:
        """None for one of which newer slices exist, all of them for other nodes."""
        generation, count = slices[0].generation, slices[0].slices
        others: list[ResourceSlice] = []
        if len(slices) != count:
            if any(one.generation > generation for one in self._of_pool[key]):
                return None
            every = [one for one in self._of_pool[key] if one.generation == generation]
            if len(every) != count:
                return Pool(*key, incomplete=True)
            others = [one for one in every if one not in slices]
        return _built(key, sorted(slices, key=lambda one: one.name), others)


def _keep_newest(kept: list[ResourceSlice], one: ResourceSlice) -> None:
    if kept and one.generation > kept[0].generation:
        kept.clear()
    if not kept or one.generation == kept[0].generation:
        kept.append(one)


def _concerns(one: ResourceSlice, node: Node) -> bool:
    """Slices with counters concern every node."""
    if one.counters:
        return True
    if one.node or one.all_nodes or one.node_terms is not None:
        return reaches(node, one.node, one.all_nodes, one.node_terms)
    return one.per_device and any(for_node(device, node) for device in one.devices)


def for_node(device: Device, node: Node) -> bool:
    return reaches(node, device.node, device.all_nodes, device.node_terms)


def reaches(node: Node, name: str, everywhere: bool, terms: tuple[NodeTerm, ...] | None) -> bool:
    if name:
        return node.name == name
    return everywhere or (terms is not None and any(term.matches(node.name, node.labels) for term in terms))


def _built(key: PoolId, slices: list[ResourceSlice], others: list[ResourceSlice]) -> Pool:
    counters: dict[str, Mapping[str, object]] = {}
    for one in slices:
        for name, amounts in one.counters.items():
            if name in counters:
                return Pool(*key, invalid=f"duplicate counter set name {name}")
            counters[name] = amounts
    offers = _offers(key, (one for one in slices if not one.counters))
    elsewhere = _offers(key, others)
    flaw = _twice(offers) or _unknown_counter((*offers, *elsewhere), counters)
    if flaw:
        return Pool(*key, invalid=flaw)
    return Pool(*key, offers, elsewhere, counters)  # type: ignore[arg-type]  # the slices' own maps


def _offers(key: PoolId, slices: Iterable[ResourceSlice]) -> tuple[Offer, ...]:
    driver, pool = key
    return tuple([Offer(Allocated(driver, pool, device.name), device, one) for one in slices for device in one.devices])


def _twice(offers: tuple[Offer, ...]) -> str:
    names = [offer.device.name for offer in offers]
    if len(set(names)) == len(names):
        return ""
    return f"duplicate device name {next(name for at, name in enumerate(names) if name in names[:at])}"


def _unknown_counter(offers: tuple[Offer, ...], counters: Mapping[str, Mapping[str, object]]) -> str:
    for offer in offers:
        for name, amounts in offer.device.counters.items():
            if name not in counters:
                return f"counter set {name} not found"
            if missing := next((one for one in amounts if one not in counters[name]), ""):
                return f"counter {missing} not found in counter set {name}"
    return ""
