"""Why a node has no devices for a pod: what each request finds there, and who has it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.domain.dra import Allocated, DeviceRequest, ResourceClaim
from bot.domain.node import Node
from bot.scheduling.dra.allocator import ALL
from bot.scheduling.dra.pools import Pool
from bot.scheduling.dra.selection import BrokenError, NotEvaluatedError, Wanted, repelled, selects
from bot.scheduling.dra.world import World


@dataclass(frozen=True, slots=True)
class Found:
    """What one request, or one of its alternatives, finds on a node.

    `wanted`: how many devices, 0 for all. Of the node's `offered` devices `selected` are what it asks for; of those
    `tainted` keep it away and `held` are in use, by device and claim. `unclear`: why its selectors say nothing.
    """

    claim: str
    request: str
    device_class: str
    wanted: int
    offered: int
    selected: int = 0
    tainted: int = 0
    held: tuple[tuple[Allocated, str], ...] = ()
    unclear: str = ""

    @property
    def free(self) -> int:
        return self.selected - self.tainted - len({device for device, _ in self.held})


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A node that cannot give all claims their devices. `found` is worked out when somebody asks."""

    node: Node
    pools: Sequence[Pool]
    claims: Sequence[ResourceClaim]
    world: World

    @property
    def unusable(self) -> tuple[tuple[str, str], ...]:
        """Pools that give nothing away, and why."""
        return tuple(
            (str(pool), pool.invalid or "some of its slices are missing")
            for pool in self.pools
            if pool.invalid or pool.incomplete
        )

    @property
    def constrained(self) -> bool:
        """Whether constraints between devices may be what is in the way."""
        return any(claim.constraints for claim in self.claims)

    def found(self) -> tuple[Found, ...]:
        return tuple(self._each())

    def _each(self) -> Iterator[Found]:
        for claim in self.claims:
            for one in claim.requests:
                for request in one.alternatives or (one,):
                    yield self._of(claim, request, one.name if one.alternatives else "")

    def _of(self, claim: ResourceClaim, request: DeviceRequest, parent: str) -> Found:
        key = f"{claim.namespace}/{claim.name}"
        name = f"{parent}/{request.name}" if parent else request.name
        offers = [offer for pool in self.pools for offer in pool.offers]
        count = 0 if request.mode == ALL else request.count
        blank = Found(key, name, request.device_class, count, len(offers))
        device_class = self.world.device_class(request.device_class)
        if device_class is None:
            return blank
        wanted = Wanted(key, request, device_class, parent)
        try:
            selected = [offer for offer in offers if selects(wanted, offer, self.node)]
        except (BrokenError, NotEvaluatedError) as error:
            return Found(key, name, request.device_class, count, len(offers), unclear=str(error))
        whole = [offer for offer in selected if not repelled(wanted, offer)]
        held = () if request.admin else tuple(self._held(offer.id for offer in whole))
        return Found(
            key, name, request.device_class, count, len(offers), len(selected), len(selected) - len(whole), held
        )

    def _held(self, devices: Iterator[Allocated]) -> Iterator[tuple[Allocated, str]]:
        for device in devices:
            if self.world.held(device):
                yield from ((device, f"{one.namespace}/{one.name}") for one in self.world.holders(device))
