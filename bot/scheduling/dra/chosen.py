"""Devices that a search has taken so far, and what that leaves for the rest of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bot.domain.dra import Allocated, DeviceRequest, ResourceClaim
from bot.scheduling.dra import capacity
from bot.scheduling.dra.capacity import Portion
from bot.scheduling.dra.constraints import Tally
from bot.scheduling.dra.pools import Offer, Pool
from bot.scheduling.dra.selection import BrokenError, Wanted, repelled
from bot.scheduling.dra.world import World

Counted = dict[tuple[str, str, str], Fraction]  # pool (as text), counter set and counter


@dataclass(frozen=True, slots=True)
class Taken:
    """One step of the search."""

    claim: int
    wanted: Wanted
    offer: Offer
    pool: str
    counted: bool
    portion: Portion


class Chosen:
    """A stack of devices: `take` puts one on, `put_back` takes the last one off."""

    def __init__(self, claims: Sequence[ResourceClaim], world: World) -> None:
        self.claims, self.world = claims, world
        self._tallies = [_tallies(claim) for claim in claims]
        self._taken: list[Taken] = []
        self._by_device: dict[Allocated, list[int]] = {}  # which claims took a whole device
        self._portions: dict[Allocated, dict[str, Fraction]] = {}
        self._fixed: dict[tuple[int, Allocated], Portion | None] = {}
        self._counters: Counted = {}
        self._left: dict[str, Counted] = {}

    def count(self, claim: int) -> int:
        return sum(one.claim == claim for one in self._taken)

    def by_claim(self) -> tuple[tuple[Taken, ...], ...]:
        """What was taken for each claim, in their order."""
        return tuple(tuple(one for one in self._taken if one.claim == number) for number in range(len(self.claims)))

    def busy(self, claim: int, request: DeviceRequest, offer: Offer) -> bool:
        """Whether somebody has the whole device; one that only looks (admin access) minds its own claim only."""
        takers = self._by_device.get(offer.id, ())
        if request.admin:
            return claim in takers
        return bool(takers) or self.world.held(offer.id)

    def portion(self, request: DeviceRequest, offer: Offer) -> Portion | None:
        """What the request would take of the device's capacity; None where that is not allowed or not left."""
        if offer.device.shared:
            return self._portion(request, offer)
        key = (id(request), offer.id)  # what is left of a device that is not shared does not change while we search
        if key not in self._fixed:
            self._fixed[key] = self._portion(request, offer)
        return self._fixed[key]

    def _portion(self, request: DeviceRequest, offer: Offer) -> Portion | None:
        if not request.capacity and capacity.is_plain(offer.device) and not self.world.portions(offer.id):
            return capacity.NOTHING
        asked = capacity.portion(request, offer.device)
        if asked is None:
            return None
        used, chosen = self.world.portions(offer.id), self._portions.get(offer.id, capacity.NOTHING)
        return asked if capacity.fits(asked, offer.device, used, chosen) else None

    def take(self, claim: int, wanted: Wanted, offer: Offer, pool: Pool, *, must: bool) -> bool:
        """Whether the device could be taken. Raises BrokenError where it `must` and a constraint forbids it."""
        if self.busy(claim, wanted.request, offer):
            return False
        device = offer.device
        in_use = offer.id in self._portions or bool(self.world.portions(offer.id))
        counts = bool(device.counters) and not (device.shared and in_use)
        if (counts and not self._counters_left(offer, pool)) or repelled(wanted, offer):
            return False
        if not self._constrained(claim, wanted, offer, must):
            return False
        asked = self.portion(wanted.request, offer)
        if asked is None:
            self._unconstrain(claim, wanted, len(self._tallies[claim]))
            return False
        self._add(Taken(claim, wanted, offer, str(pool), counts, asked), +1)
        return True

    def put_back(self) -> None:
        one = self._taken[-1]
        self._add(one, -1)
        self._unconstrain(one.claim, one.wanted, len(self._tallies[one.claim]))

    def _add(self, one: Taken, sign: int) -> None:
        if one.offer.device.shared:
            mine = self._portions.setdefault(one.offer.id, {})
            for name, value in one.portion.items():
                mine[name] = mine.get(name, Fraction(0)) + sign * value
            if not any(mine.values()):
                del self._portions[one.offer.id]
        elif sign > 0:
            self._by_device.setdefault(one.offer.id, []).append(one.claim)
        else:
            self._by_device[one.offer.id].remove(one.claim)
        if one.counted:
            for name, amounts in one.offer.device.counters.items():
                for counter, value in amounts.items():
                    key = (one.pool, name, counter)
                    self._counters[key] = self._counters.get(key, Fraction(0)) + sign * value
        if sign > 0:
            self._taken.append(one)
        else:
            self._taken.pop()

    def _constrained(self, claim: int, wanted: Wanted, offer: Offer, must: bool) -> bool:
        for number, tally in enumerate(self._tallies[claim]):
            if not tally.add(wanted.name, wanted.alternative, offer.device, offer.id):
                self._unconstrain(claim, wanted, number)
                if must:
                    text = f"cannot add device {offer.id} because a claim constraint would not be satisfied"
                    raise BrokenError(f"claim {wanted.claim}, request {wanted.request.name}: {text}")
                return False
        return True

    def _unconstrain(self, claim: int, wanted: Wanted, count: int) -> None:
        for tally in self._tallies[claim][:count]:
            tally.remove(wanted.name, wanted.alternative)

    def _counters_left(self, offer: Offer, pool: Pool) -> bool:
        left = self._left.get(str(pool))
        if left is None:
            left = self._left[str(pool)] = self._free(pool)
        return all(
            self._counters.get((str(pool), name, counter), Fraction(0)) + value
            <= left.get((str(pool), name, counter), Fraction(0))
            for name, amounts in offer.device.counters.items()
            for counter, value in amounts.items()
        )

    def _free(self, pool: Pool) -> Counted:
        """What devices that are held leave of the pool's counters."""
        free = {
            (str(pool), name, counter): value for name, one in pool.counters.items() for counter, value in one.items()
        }
        for offer in (*pool.offers, *pool.elsewhere):
            if offer.device.counters and self.world.holders(offer.id):
                for name, amounts in offer.device.counters.items():
                    for counter, value in amounts.items():
                        free[str(pool), name, counter] -= value
        return free


def _tallies(claim: ResourceClaim) -> list[Tally]:
    for number, constraint in enumerate(claim.constraints):
        if not constraint.attribute:
            text = f"constraint #{number}: empty constraint (unsupported constraint type?)"
            raise BrokenError(f"claim {claim.namespace}/{claim.name}, {text}")
    return [Tally(constraint) for constraint in claim.constraints]
