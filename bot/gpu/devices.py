"""GPUs of a node that are handed out by ResourceClaims (dynamic resource allocation)."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.dra import Allocated, Device, ResourceClaim, ResourceSlice
from bot.domain.view import View
from bot.gpu.kind import UNNAMED, Form, Kind, short
from bot.gpu.owners import team, top_owner
from bot.gpu.policy import Policy
from bot.gpu.row import Held, Holding, Row, State, balance

_PRODUCT = ("productName", "gpu.nvidia.com/productName", "model", "gpu.nvidia.com/model")


@dataclass(frozen=True, slots=True)
class Published:
    """Devices that the scheduler may use, by the claim-side name they are allocated under."""

    devices: tuple[tuple[Allocated, Device], ...] = ()
    incomplete: str = ""  # a pool of which slices are missing

    def __bool__(self) -> bool:
        return bool(self.devices) or bool(self.incomplete)


def on_node(view: View, name: str) -> Published:
    """The GPU devices of a node, newest generation of each pool only."""
    slices = [piece for piece in view.devices.slices_by_node.get(name, ()) if "gpu" in piece.driver]
    if not slices:
        return Published()
    found: list[tuple[Allocated, Device]] = []
    incomplete = ""
    for (driver, pool), pieces in sorted(_pools(slices).items()):
        if len(pieces) < pieces[0].slices:
            incomplete = pool
            continue
        found += [
            (Allocated(driver, pool, device.name), device)
            for piece in sorted(pieces, key=lambda piece: piece.name)
            for device in piece.devices
            if device.attributes.get("type", "gpu") in ("gpu", "mig")
        ]
    return Published(tuple(found), incomplete)


def rows(view: View, published: Published, state: State) -> Iterable[Row]:
    """One row per kind of device. A device with a blocking taint counts as lost."""
    by_kind: dict[tuple[str, Kind], list[tuple[Allocated, Device]]] = defaultdict(list)
    for allocated, device in published.devices:
        by_kind[allocated.driver, kind_of_device(device)].append((allocated, device))
    for (driver, kind), members in by_kind.items():
        whole = [allocated for allocated, device in members if not device.tainted]
        held = sum(allocated in view.devices.holders for allocated, _ in members)
        yield balance(
            kind=kind,
            resource=driver,
            expected=len(members),
            capacity=len(members),
            allocatable=len(whole),
            held=Held(used=held),
            state=state,
            slots=True,
        )


def holdings(view: View, published: Published, policy: Policy) -> Iterable[Holding]:
    """Who holds the devices: the pods their claims are reserved for, else the claim itself."""
    for allocated, device in published.devices:
        for claim in view.devices.holders.get(allocated, ())[:1]:  # a device counts once, for the first who holds it
            yield _holding(view, kind_of_device(device), claim, policy)


def _holding(view: View, kind: Kind, claim: ResourceClaim, policy: Policy) -> Holding:
    pod = view.pods.get(f"{claim.namespace}/{claim.reserved_for[0]}") if claim.reserved_for else None
    if pod is None:
        return Holding(kind, 1, claim.namespace, "ResourceClaim", claim.name, "", "")
    return Holding(kind, 1, claim.namespace, *top_owner(view, pod), team(view, pod, policy), pod.name)


def kind_of_device(device: Device) -> Kind:
    """Product and form of a device by its attributes."""
    name = next((device.attributes[key] for key in _PRODUCT if device.attributes.get(key)), "")
    product = short(name) if name else UNNAMED
    if device.attributes.get("type") == "mig":
        return Kind(product, Form.DEVICE_MIG, device.attributes.get("profile", "?"))
    return Kind(product, Form.DEVICE)


def _pools(slices: list[ResourceSlice]) -> dict[tuple[str, str], list[ResourceSlice]]:
    newest: dict[tuple[str, str], int] = {}
    for piece in slices:
        pool = (piece.driver, piece.pool)
        newest[pool] = max(newest.get(pool, piece.generation), piece.generation)
    pools: dict[tuple[str, str], list[ResourceSlice]] = defaultdict(list)
    for piece in slices:
        if piece.generation == newest[piece.driver, piece.pool]:
            pools[piece.driver, piece.pool].append(piece)
    return pools
