"""Resource slices: kubernetes/api:resource/v1/types.go; v1beta1 still wraps a device's attributes in `basic`."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.dra import Device, ResourceSlice
from bot.domain.record import NONE, Labels, Record

VERSIONS = ("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1")
_BLOCKING = ("NoSchedule", "NoExecute")


class WireTaint(Wire):
    """A device's taint."""

    effect: str = ""


class WireDetails(Wire):
    """What a device says of itself: an attribute has one of string, int, bool and version."""

    attributes: dict[str, dict[str, str | int | bool]] | None = None
    taints: list[WireTaint] | None = None


class WireDevice(WireDetails, kw_only=True):
    """One device."""

    name: str
    basic: WireDetails | None = None


class WirePool(Wire):
    """Where the slice belongs."""

    name: str
    generation: int = 0
    resource_slice_count: int = 1


class WireSpec(Wire):
    """The slice's content."""

    driver: str
    pool: WirePool
    node_name: str | None = ""
    devices: list[WireDevice] | None = None


class WireSlice(Wire):
    """One slice."""

    metadata: Metadata
    spec: WireSpec


def record(wire: WireSlice, shared: Shared) -> tuple[str, Record]:
    meta, spec, text = wire.metadata, wire.spec, shared.text
    return meta.name, ResourceSlice(
        name=meta.name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        driver=text[spec.driver],
        pool=text[spec.pool.name],
        generation=spec.pool.generation,
        slices=spec.pool.resource_slice_count,
        node=text[spec.node_name or ""],
        devices=tuple(_device(device, shared) for device in spec.devices or ()),
    )


def _device(wire: WireDevice, shared: Shared) -> Device:
    details = wire.basic or wire
    return Device(
        name=shared.text[wire.name],
        attributes=_texts(details.attributes, shared) if details.attributes else NONE,
        tainted=any(taint.effect in _BLOCKING for taint in details.taints or ()),
    )


def _texts(attributes: dict[str, dict[str, str | int | bool]], shared: Shared) -> Labels:
    text = shared.text
    return {text[name]: text[_plain(value)] for name, typed in attributes.items() for value in typed.values()}


def _plain(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


KIND = Kind(
    name="resourceslices",
    object_kind="ResourceSlice",
    versions=VERSIONS,
    namespaced=False,
    wire=WireSlice,
    record=record,
)
