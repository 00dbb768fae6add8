"""What a list can be narrowed by, kept beside each object so that selecting decodes nothing."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from bot.local.cluster.store.resources import Resource
from bot.local.cluster.store.selectors import FieldSelector, LabelSelector, matches

_ALWAYS = ("metadata.name", "metadata.namespace")
_EVENT_FIELDS = (
    *(f"involvedObject.{part}" for part in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion")),
    *("involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"),
)
# kubernetes/kubernetes: pkg/apis/core/v1/conversion.go and the registries' ToSelectableFields
_BY_KEY: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("", "pods"): (
        *("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork"),
        *("status.phase", "status.podIP", "status.nominatedNodeName"),
    ),
    ("", "nodes"): ("spec.unschedulable",),
    ("", "events"): _EVENT_FIELDS,
    ("", "secrets"): ("type",),
    ("", "namespaces"): ("status.phase",),
    ("", "replicationcontrollers"): ("status.replicas",),
    ("apps", "replicasets"): ("status.replicas",),
    ("batch", "jobs"): ("status.successful",),
    ("resource.k8s.io", "resourceslices"): ("spec.nodeName", "spec.driver"),
}


class _Spec(msgspec.Struct):
    nodeName: str = ""  # noqa: N815 - the wire's name
    restartPolicy: str = ""  # noqa: N815
    schedulerName: str = ""  # noqa: N815
    serviceAccountName: str = ""  # noqa: N815
    hostNetwork: bool = False  # noqa: N815


class _Status(msgspec.Struct):
    phase: str = ""
    podIP: str = ""  # noqa: N815
    nominatedNodeName: str = ""  # noqa: N815


class _Metadata(msgspec.Struct, omit_defaults=True):
    name: str
    namespace: str = ""
    uid: str = ""
    resourceVersion: str = ""  # noqa: N815
    labels: dict[str, str] | None = None
    ownerReferences: list[dict[str, Any]] | None = None  # noqa: N815


class _PodHead(msgspec.Struct):
    """Only what is selected by: a fraction of the cost of decoding the pod."""

    metadata: _Metadata
    kind: str = ""
    spec: _Spec | None = None
    status: _Status | None = None


# what an absent field reads as: these are plain booleans and numbers in the Go types
_ABSENT = {"spec.unschedulable": "false", "spec.hostNetwork": "false", "status.replicas": "0", "status.successful": "0"}
_pod_heads = msgspec.json.Decoder(_PodHead)
_objects = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Facets:
    """Labels, and the values of the resource's selectable fields in their order."""

    labels: Mapping[str, str]
    fields: tuple[str, ...]


def selectable(resource: Resource) -> tuple[str, ...]:
    """The fields by which lists and watches of `resource` can be narrowed."""
    return _ALWAYS + _BY_KEY.get(resource.key, ())


def facets(resource: Resource, obj: Mapping[str, Any]) -> Facets:
    """Read them off an object."""
    labels = obj["metadata"].get("labels") or {}
    return Facets(labels, tuple(_text(obj, path) for path in selectable(resource)))


def head(resource: Resource, encoded: bytes) -> dict[str, Any]:
    """Decode as little of an object as `facets` and the owner index need."""
    if resource.key == ("", "pods"):
        built: dict[str, Any] = msgspec.to_builtins(_pod_heads.decode(encoded))
        return built
    return _objects.decode(encoded)


def _text(obj: Mapping[str, Any], path: str) -> str:
    value: Any = obj
    for part in ("source.component" if path == "source" else path).split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return sys.intern(str(value)) if isinstance(value, str | int) else _ABSENT.get(path, "")


@dataclass(frozen=True, slots=True)
class Query:
    """Both selectors of a request, ready to be asked of facets."""

    labels: LabelSelector
    fields: Sequence[tuple[int, str, bool]]

    @classmethod
    def of(cls, resource: Resource, labels: LabelSelector, fields: FieldSelector) -> Query:
        """Resolve field paths to their places in `Facets.fields`."""
        paths = selectable(resource)
        return cls(labels, tuple((paths.index(term.path), term.value, term.equal) for term in fields))

    @property
    def everything(self) -> bool:
        """Whether it narrows nothing."""
        return not self.labels and not self.fields

    def selects(self, facets: Facets) -> bool:
        """Whether an object with these facets belongs to the answer."""
        for place, value, equal in self.fields:
            if (facets.fields[place] == value) != equal:
                return False
        return not self.labels or matches(self.labels, facets.labels)
