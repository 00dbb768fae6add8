"""Disruption budgets: kubernetes/api:policy/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.pod_spec import label_selector
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.adapters.cluster.wire_spec import WireSelector
from bot.domain.record import Record
from bot.domain.workload import PodDisruptionBudget


class WireSpec(Wire):
    """Whose disruption is limited."""

    selector: WireSelector | None = None


class WireStatus(Wire):
    """What the disruption controller counted."""

    disruptions_allowed: int = 0
    disrupted_pods: dict[str, str | None] | None = None


class WireBudget(Wire):
    """One budget."""

    metadata: Metadata
    spec: WireSpec | None = None
    status: WireStatus | None = None


def record(wire: WireBudget, shared: Shared) -> tuple[str, Record]:
    meta, spec, status = wire.metadata, wire.spec or WireSpec(), wire.status or WireStatus()
    namespace = shared.text[meta.place]
    return f"{namespace}/{meta.name}", PodDisruptionBudget(
        name=meta.name,
        namespace=namespace,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        selector=label_selector(spec.selector),
        allowed=status.disruptions_allowed,
        disrupted=frozenset(status.disrupted_pods or ()),
    )


KIND = Kind(
    name="poddisruptionbudgets",
    object_kind="PodDisruptionBudget",
    versions=("policy/v1",),
    namespaced=True,
    wire=WireBudget,
    record=record,
)
