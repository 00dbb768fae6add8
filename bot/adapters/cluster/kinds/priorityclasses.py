"""Priority classes: kubernetes/api:scheduling/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.record import Record
from bot.domain.workload import PriorityClass


class WirePriorityClass(Wire):
    """The whole of it is small."""

    metadata: Metadata
    value: int = 0
    preemption_policy: str | None = None
    global_default: bool | None = None


def record(wire: WirePriorityClass, shared: Shared) -> tuple[str, Record]:
    meta = wire.metadata
    return meta.name, PriorityClass(
        name=shared.text[meta.name],
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        value=wire.value,
        preemption_policy=shared.text[wire.preemption_policy or "PreemptLowerPriority"],
        is_default=bool(wire.global_default),
    )


KIND = Kind(
    name="priorityclasses",
    object_kind="PriorityClass",
    versions=("scheduling.k8s.io/v1",),
    namespaced=False,
    wire=WirePriorityClass,
    record=record,
)
