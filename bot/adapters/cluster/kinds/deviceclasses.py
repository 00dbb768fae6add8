"""Classes of devices: kubernetes/api:resource/v1/types.go (DeviceClass)."""

import msgspec

from bot.adapters.cluster.device_requests import WireSelector, expressions
from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.kinds.resourceslices import VERSIONS
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.dra import DeviceClass
from bot.domain.record import Record


class WireSpec(Wire):
    """What its devices have in common."""

    selectors: list[WireSelector] | None = None
    extended_resource_name: str | None = ""


class WireDeviceClass(Wire):
    """One class."""

    metadata: Metadata
    spec: WireSpec = msgspec.field(default_factory=WireSpec)


def record(wire: WireDeviceClass, shared: Shared) -> tuple[str, Record]:
    meta = wire.metadata
    return meta.name, DeviceClass(
        name=meta.name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        selectors=expressions(wire.spec.selectors, shared),
        extended_resource=wire.spec.extended_resource_name or "",
    )


KIND = Kind(
    name="deviceclasses",
    object_kind="DeviceClass",
    versions=VERSIONS,
    namespaced=False,
    wire=WireDeviceClass,
    record=record,
)
