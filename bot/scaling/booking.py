"""What a pod's claims get once it has a node: written into the copy of the view that is being filled."""

from collections.abc import Iterator

import msgspec

from bot.domain.dra import ResourceClaim
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.selectors import NodeTerm, Requirement
from bot.domain.view import View
from bot.scheduling.dra.allocator import given
from bot.scheduling.dra.chosen import Taken
from bot.scheduling.dra.claims import MissingError, of_pod
from bot.scheduling.dra.selection import BrokenError, NotEvaluatedError
from bot.scheduling.dra.world import World
from bot.scheduling.state import State


def book(state: State, pod: Pod, node: Node) -> None:
    """The state's view is a copy made by `with_devices`. What cannot be worked out takes nothing."""
    view = state.view
    try:
        open_ones = [one for one in of_pod(view, pod) if not one.is_allocated]
        world = state.snapshot.once(__name__, lambda: World(view))
        taken = given(node, world.slices.pools(node), open_ones, world) if open_ones else ()
    except (MissingError, BrokenError, NotEvaluatedError):
        return
    for claim, devices in zip(open_ones, taken or (), strict=False):
        _hold(view, _allocated(claim, devices, node))


def _allocated(claim: ResourceClaim, devices: tuple[Taken, ...], node: Node) -> ResourceClaim:
    held = [one for one in devices if not one.wanted.request.admin]
    here = NodeTerm(fields=(Requirement("metadata.name", "In", (node.name,)),))
    local = any(one.offer.slice.node for one in devices)
    return msgspec.structs.replace(
        claim,
        is_allocated=True,
        allocated=tuple(one.offer.id for one in held),
        portions=tuple(_portions(held)),
        node_terms=(here,) if local else None,
    )


def _portions(held: list[Taken]) -> Iterator[tuple[object, ...]]:
    for one in held:
        if one.offer.device.shared:
            yield one.offer.id, tuple(sorted(one.portion.items()))


def _hold(view: View, claim: ResourceClaim) -> None:
    view.resourceclaims[f"{claim.namespace}/{claim.name}"] = claim
    for device in claim.allocated:
        view.devices.holders.setdefault(device, []).append(claim)
