"""Whether a node has devices for a pod's claims: the scheduler's exhaustive search, device by device.

kubernetes/dynamic-resource-allocation:structured/internal/incubating/allocator_incubating.go, release 1.36. Devices are
tried in the same order, because an error counts only where the search comes upon it.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from bot.domain.dra import Allocated, DeviceRequest, ResourceClaim
from bot.domain.node import Node
from bot.scheduling.dra.chosen import Chosen, Taken
from bot.scheduling.dra.pools import Offer, Pool
from bot.scheduling.dra.selection import BrokenError, NotEvaluatedError, Wanted, checked, selects
from bot.scheduling.dra.world import World

MOST_DEVICES = 32  # of one claim
MOST_STEPS = 20_000  # devices that are looked at; the scheduler gives up after ten seconds
DEEPEST = 200  # devices of all claims: each is a level of the search
ALL = "All"


class TooManyError(Exception):
    """The claim would get more devices than a claim can hold: this way leads nowhere."""


class Need(NamedTuple):
    """A request: how many devices of what. `devices` are those that a request for all must get."""

    wanted: Wanted
    number: int
    devices: tuple[tuple[Pool, Offer], ...] = ()

    @property
    def all(self) -> bool:
        return self.wanted.request.mode == ALL


Needs = tuple[tuple[tuple[Need, ...], ...], ...]  # by claim and request; several: alternatives


def allocate(node: Node, pools: Sequence[Pool], claims: Sequence[ResourceClaim], world: World) -> bool:
    """Whether all claims can be had. Raises BrokenError, NotEvaluatedError."""
    return given(node, pools, claims, world) is not None


def given(
    node: Node, pools: Sequence[Pool], claims: Sequence[ResourceClaim], world: World
) -> tuple[tuple[Taken, ...], ...] | None:
    """What each claim would get; None where they cannot be had together. Raises BrokenError, NotEvaluatedError."""
    search = _Search(node, pools, claims, world)
    needs = search.needs()
    if sum(min(one.number for one in request) for claim in needs for request in claim) > DEEPEST:
        raise NotEvaluatedError("too many devices are asked for")
    try:
        return search.chosen.by_claim() if search.from_claim(needs, 0) else None
    except TooManyError as error:
        raise BrokenError("allocation max size exceeded") from error


class _Search:
    """Walks claims, their requests, and for each request the devices; goes back where it gets stuck."""

    def __init__(self, node: Node, pools: Sequence[Pool], claims: Sequence[ResourceClaim], world: World) -> None:
        self.node, self.pools, self.claims, self.world = node, pools, claims, world
        self.chosen = Chosen(claims, world)
        self.steps = 0
        self._selected: dict[tuple[int, Allocated], bool] = {}

    # ---- what is asked for ---------------------------------------------------------------------------------------

    def needs(self) -> Needs:
        found: list[tuple[tuple[Need, ...], ...]] = []
        for claim in self.claims:
            key = f"{claim.namespace}/{claim.name}"
            requests: list[tuple[Need, ...]] = []
            for one in claim.requests:
                parent = one.name if one.alternatives else ""
                requests.append(tuple(self._need(key, each, parent) for each in one.alternatives or (one,)))
            least = sum(min(need.number for need in request) for request in requests)
            if least > MOST_DEVICES:
                raise BrokenError(f"claim {key}: number of requested devices {least} exceeds the claim limit of 32")
            found.append(tuple(requests))
        return tuple(found)

    def _need(self, claim: str, request: DeviceRequest, parent: str) -> Need:
        where = f"claim {claim}, request {request.name}"
        wanted = checked(claim, request, parent, self.world)
        if request.mode == ALL:
            devices = self._every(wanted, where)
            return Need(wanted, len(devices), devices)
        if request.mode != "ExactCount":
            raise BrokenError(f"{where}: unsupported count mode {request.mode}")
        return Need(wanted, request.count)

    def _every(self, wanted: Wanted, where: str) -> tuple[tuple[Pool, Offer], ...]:
        found: list[tuple[Pool, Offer]] = []
        for pool in self.pools:
            if pool.incomplete:
                raise BrokenError(f"{where}: asks for all devices, but resource pool {pool} is currently being updated")
            if pool.invalid:
                raise BrokenError(f"{where}: asks for all devices, but resource pool {pool} is currently invalid")
            found += [
                (pool, offer)
                for offer in pool.offers
                if self._selects(wanted, offer) and self.chosen.portion(wanted.request, offer) is not None
            ]
        return tuple(found)

    def _selects(self, wanted: Wanted, offer: Offer) -> bool:
        key = (id(wanted.request), offer.id)
        known = self._selected.get(key)
        if known is None:
            known = self._selected[key] = selects(wanted, offer, self.node)
        return known

    # ---- the search ----------------------------------------------------------------------------------------------

    def from_claim(self, needs: Needs, claim: int) -> bool:
        return claim >= len(needs) or self._from_request(needs, claim, 0)

    def _from_request(self, needs: Needs, claim: int, request: int) -> bool:
        if request >= len(needs[claim]):
            try:
                return self.from_claim(needs, claim + 1)
            except TooManyError:
                return False
        alternatives = needs[claim][request]
        if not alternatives[0].wanted.parent:
            return self._from_device(needs, claim, request, alternatives[0], 0, (0, 0))
        return self._from_alternative(needs, claim, request, alternatives)

    def _from_alternative(self, needs: Needs, claim: int, request: int, alternatives: tuple[Need, ...]) -> bool:
        too_many = 0
        for need in alternatives:
            try:
                if self._from_device(needs, claim, request, need, 0, (0, 0)):
                    return True
            except TooManyError:
                too_many += 1
        if too_many == len(alternatives):
            raise TooManyError
        return False

    def _from_device(
        self, needs: Needs, claim: int, request: int, need: Need, number: int, start: tuple[int, int]
    ) -> bool:
        if need.all and not need.devices:
            return False
        if number >= need.number:
            return self._from_request(needs, claim, request + 1)
        if self.chosen.count(claim) + need.number - number > MOST_DEVICES:
            raise TooManyError
        if need.all:
            pool, offer = need.devices[number]
            if not self.chosen.take(claim, need.wanted, offer, pool, must=True):
                return False
            return self._go_on(needs, claim, request, need, number, start)
        return self._try_each(needs, claim, request, need, number, start)

    def _try_each(
        self, needs: Needs, claim: int, request: int, need: Need, number: int, start: tuple[int, int]
    ) -> bool:
        """Devices after the one that was taken last, so that no set of devices is tried twice."""
        missing = need.number - number
        if len(list(islice(self._usable(claim, need.wanted, start), missing))) < missing:
            return False  # the scheduler would find that out the long way, by the same devices
        for pool, offer, after in self._usable(claim, need.wanted, start):
            if not self.chosen.take(claim, need.wanted, offer, pool, must=False):
                continue
            if self._go_on(needs, claim, request, need, number, after):
                return True
        return False

    def _usable(
        self, claim: int, wanted: Wanted, start: tuple[int, int]
    ) -> Iterator[tuple[Pool, Offer, tuple[int, int]]]:
        """Devices that could be taken but for taints, counters and constraints, and where the next one stands."""
        first_pool, first_device = start
        for at_pool in range(first_pool, len(self.pools)):
            pool = self.pools[at_pool]  # one that is incomplete or invalid offers nothing
            for at_device in range(first_device if at_pool == first_pool else 0, len(pool.offers)):
                offer = pool.offers[at_device]
                self._step()
                if self.chosen.busy(claim, wanted.request, offer) or not self._selects(wanted, offer):
                    continue
                if self.chosen.portion(wanted.request, offer) is not None:
                    yield pool, offer, (at_pool, at_device + 1)

    def _go_on(self, needs: Needs, claim: int, request: int, need: Need, number: int, start: tuple[int, int]) -> bool:
        """With the device that was just taken; it is put back where that leads nowhere."""
        done = False
        try:
            done = self._from_device(needs, claim, request, need, number + 1, start)
        finally:
            if not done:
                self.chosen.put_back()
        return done

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise NotEvaluatedError("the search for devices was given up: too many combinations")
