"""Which devices a request is after: selectors of its class and its own."""

from typing import NamedTuple

from bot.domain.dra import DeviceClass, DeviceRequest
from bot.domain.node import Node
from bot.scheduling.dra import cel
from bot.scheduling.dra.pools import Offer, for_node
from bot.scheduling.dra.world import World


class BrokenError(Exception):
    """What the scheduler says when a search cannot go on: the whole cycle fails."""


class NotEvaluatedError(Exception):
    """What could not be found out here. The scheduler may know."""


class Wanted(NamedTuple):
    """One request, or one of its alternatives (then `parent` is the request's name)."""

    claim: str  # namespace/name
    request: DeviceRequest
    device_class: DeviceClass
    parent: str = ""

    @property
    def name(self) -> str:
        """The request's own name, which constraints know."""
        return self.parent or self.request.name

    @property
    def alternative(self) -> str:
        return self.request.name if self.parent else ""


def checked(claim: str, request: DeviceRequest, parent: str, world: World) -> Wanted:
    """A request with its class. Raises BrokenError where it makes no sense."""
    where = f"claim {claim}, request {request.name}"
    if (number := next((i for i, text in enumerate(request.selectors) if not text), None)) is not None:
        raise BrokenError(f"{where}, selector #{number}: CEL expression empty (unsupported selector type?)")
    if not request.device_class:
        raise BrokenError(f"{where}: missing device class name (unsupported request type?)")
    device_class = world.device_class(request.device_class)
    if device_class is None:
        missing = f'deviceclass.resource.k8s.io "{request.device_class}" not found'
        raise BrokenError(f"{where}: could not retrieve device class {request.device_class}: {missing}")
    return Wanted(claim, request, device_class, parent)


def selects(wanted: Wanted, offer: Offer, node: Node) -> bool:
    """Whether the device is one of those asked for, and reachable. Raises BrokenError, NotEvaluatedError."""
    for owner, selectors in (
        (f"class {wanted.device_class.name}", wanted.device_class.selectors),
        (f"claim {wanted.claim}", wanted.request.selectors),
    ):
        for number, expression in enumerate(selectors):
            answer = cel.matches(expression, offer.device, offer.id.driver)
            if answer.matches is None:
                _raise(f"{owner}: selector #{number}", answer)
            if not answer.matches:
                return False
    return not offer.slice.per_device or for_node(offer.device, node)


def _raise(where: str, answer: cel.Answer) -> None:
    if answer.evaluated:
        raise BrokenError(f"{where}: CEL runtime error: {answer.why}")
    raise NotEvaluatedError(f"{where}: {answer.why}")


def repelled(wanted: Wanted, offer: Offer) -> bool:
    """Whether a taint of the device keeps the request away."""
    return offer.device.tainted and any(
        taint.blocks and not wanted.request.tolerates(taint.key, taint.value, taint.effect)
        for taint in offer.device.taints
    )
