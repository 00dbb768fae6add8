"""Events, in the core form and in that of events.k8s.io: kubernetes/api:core/v1/types.go, events/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.event import Event
from bot.domain.record import Record

LONGEST = 2_000  # characters of a message; the API allows 1,024 bytes


class WireAbout(Wire):
    """ObjectReference."""

    kind: str | None = ""
    namespace: str | None = ""
    name: str | None = ""
    uid: str | None = ""


class WireSource(Wire):
    component: str | None = ""
    host: str | None = ""


class WireSeries(Wire):
    count: int | None = 0
    last_observed_time: str | None = ""


class WireEvent(Wire):
    """Both forms; the newer one calls the older one's fields `deprecated…`."""

    metadata: Metadata
    involved_object: WireAbout | None = None
    regarding: WireAbout | None = None
    reason: str | None = ""
    message: str | None = ""
    note: str | None = ""
    type: str | None = ""
    count: int | None = 0
    first_timestamp: str | None = ""
    last_timestamp: str | None = ""
    event_time: str | None = ""
    source: WireSource | None = None
    reporting_component: str | None = ""
    reporting_controller: str | None = ""
    series: WireSeries | None = None
    deprecated_count: int | None = 0
    deprecated_first_timestamp: str | None = ""
    deprecated_last_timestamp: str | None = ""
    deprecated_source: WireSource | None = None


def record(wire: WireEvent, shared: Shared) -> tuple[str, Record]:
    meta, text = wire.metadata, shared.text
    about = wire.involved_object or wire.regarding or WireAbout()
    source = wire.source or wire.deprecated_source or WireSource()
    series = wire.series or WireSeries()
    kind = about.kind or ""
    first = wire.first_timestamp or wire.deprecated_first_timestamp or wire.event_time or ""
    last = series.last_observed_time or wire.last_timestamp or wire.deprecated_last_timestamp or ""
    return f"{meta.place}/{meta.name}", Event(
        name=meta.name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        namespace=text[meta.place],
        about_kind=text[kind],
        about_namespace=text["" if kind == "Node" else about.namespace or ""],
        about_name=about.name or "",
        about_uid=about.uid or "",
        reason=text[wire.reason or ""],
        message=text[(wire.message or wire.note or "")[:LONGEST]],
        kind=text[wire.type or ""],
        source=text[source.component or wire.reporting_component or wire.reporting_controller or ""],
        node=text[source.host or ""],
        count=max(1, wire.count or 0, wire.deprecated_count or 0, series.count or 0),
        first=first,
        last=last or wire.event_time or "",
    )


KIND = Kind(
    name="events",
    object_kind="Event",
    versions=("v1", "events.k8s.io/v1"),
    namespaced=True,
    wire=WireEvent,
    record=record,
)
