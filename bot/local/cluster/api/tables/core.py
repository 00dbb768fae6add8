"""The tables of the core group, pods aside."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.local.cluster.api.tables import pods
from bot.local.cluster.api.tables.columns import (
    AGE,
    NAME,
    NONE,
    UNKNOWN,
    UNSET,
    Column,
    Json,
    at,
    field,
    joined,
    pairs,
    since,
)

_ROLE = "node-role.kubernetes.io/"
_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def _node_status(node: Json, now: datetime) -> str:
    ready = [c.get("status") for c in at(node, "status", "conditions", default=[]) if c.get("type") == "Ready"]
    word = "Unknown" if not ready else "Ready" if ready[0] == "True" else "NotReady"
    return word + (",SchedulingDisabled" if at(node, "spec", "unschedulable") else "")


def _roles(node: Json, now: datetime) -> str:
    labels = at(node, "metadata", "labels", default={})
    return joined(sorted(label.removeprefix(_ROLE) for label in labels if label.startswith(_ROLE)))


def _address(kind: str) -> Column:
    def cell(node: Json, now: datetime) -> str:
        addresses = at(node, "status", "addresses", default=[])
        return next((a.get("address", "") for a in addresses if a.get("type") == kind), NONE)

    return Column(kind.replace("IP", "-IP"), cell, 1)


def _node_info(name: str, key: str, priority: int = 1) -> Column:
    return Column(name, field("status", "nodeInfo", key, default=UNKNOWN), priority)


def _last_seen(event: Json, now: datetime) -> str:
    last = at(event, "series", "lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return since(last or at(event, "metadata", "creationTimestamp"), now)


def _first_seen(event: Json, now: datetime) -> str:
    first = event.get("firstTimestamp") or event.get("eventTime")
    return since(first or at(event, "metadata", "creationTimestamp"), now)


def _event_object(event: Json, now: datetime) -> str:
    about = event.get("involvedObject") or {}
    return f"{about.get('kind', '').lower()}/{about.get('name', '')}"


def _event_source(event: Json, now: datetime) -> str:
    source = event.get("source") or {}
    component = source.get("component") or event.get("reportingComponent", "")
    return joined(part for part in (component, source.get("host")) if part) if component else ""


def _event_count(event: Json, now: datetime) -> int:
    return at(event, "series", "count") or event.get("count") or 1


def _ports(service: Json, now: datetime) -> str:
    def one(port: Json) -> str:
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        return f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}"

    return joined(one(port) for port in at(service, "spec", "ports", default=[]))


def _external(service: Json, now: datetime) -> str:
    given = at(service, "status", "loadBalancer", "ingress", default=[])
    addresses = [entry.get("ip") or entry.get("hostname") for entry in given]
    waiting = at(service, "spec", "type") == "LoadBalancer"
    return joined([*addresses, *at(service, "spec", "externalIPs", default=[])], "<pending>" if waiting else NONE)


def _selector(service: Json, now: datetime) -> str:
    return pairs(at(service, "spec", "selector"))


def _modes(volume: Json, now: datetime) -> str:
    return joined((_MODES.get(mode, mode) for mode in at(volume, "spec", "accessModes", default=[])), "")


def _claimed_by(volume: Json, now: datetime) -> str:
    claim = at(volume, "spec", "claimRef")
    return f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""


def _phase(obj: Json, now: datetime) -> str:
    return "Terminating" if at(obj, "metadata", "deletionTimestamp") else at(obj, "status", "phase", default="")


def _size(obj: Json, now: datetime) -> int:
    return len(obj.get("data") or {}) + len(obj.get("binaryData") or {})


def _quota(kind: str) -> Column:
    def cell(quota: Json, now: datetime) -> str:
        hard, used = at(quota, "status", "hard", default={}), at(quota, "status", "used", default={})
        limits = {name for name in hard if name.startswith("limits.")}
        shown = limits if kind == "Limit" else hard.keys() - limits
        return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in sorted(shown))

    return Column(kind, cell)


def _endpoints(endpoints: Json, now: datetime) -> str:
    subsets = endpoints.get("subsets") or []
    return joined(
        f"{address.get('ip')}:{port.get('port')}"
        for subset in subsets
        for address in subset.get("addresses") or []
        for port in subset.get("ports") or []
    )


_VOLUME_MODE = Column("VolumeMode", field("spec", "volumeMode", default=UNSET), 1)
_ATTRIBUTES = Column("VolumeAttributesClass", field("spec", "volumeAttributesClassName", default=UNSET))
_ACCESS = Column("Access Modes", _modes)
_CLASS = Column("StorageClass", field("spec", "storageClassName", default=UNSET))
_DATA = Column("Data", _size)

COLUMNS: Mapping[tuple[str, str], tuple[Column, ...]] = {
    ("", "pods"): pods.COLUMNS,
    ("", "nodes"): (
        *(NAME, Column("Status", _node_status), Column("Roles", _roles), AGE),
        *(_node_info("Version", "kubeletVersion", 0), _address("InternalIP"), _address("ExternalIP")),
        *(_node_info("OS-Image", "osImage"), _node_info("Kernel-Version", "kernelVersion")),
        _node_info("Container-Runtime", "containerRuntimeVersion"),
    ),
    ("", "namespaces"): (NAME, Column("Status", field("status", "phase")), AGE),
    ("", "events"): (
        *(Column("Last Seen", _last_seen), Column("Type", field("type")), Column("Reason", field("reason"))),
        *(Column("Object", _event_object), Column("Subobject", field("involvedObject", "fieldPath"), 1)),
        *(Column("Source", _event_source, 1), Column("Message", field("message"))),
        *(Column("First Seen", _first_seen, 1), Column("Count", _event_count, 1, "integer")),
        Column("Name", field("metadata", "name"), 1),
    ),
    ("", "services"): (
        *(NAME, Column("Type", field("spec", "type")), Column("Cluster-IP", field("spec", "clusterIP", default=NONE))),
        *(Column("External-IP", _external), Column("Port(s)", _ports), AGE, Column("Selector", _selector, 1)),
    ),
    ("", "configmaps"): (NAME, _DATA, AGE),
    ("", "secrets"): (NAME, Column("Type", field("type")), _DATA, AGE),
    ("", "serviceaccounts"): (NAME, Column("Secrets", lambda obj, now: len(obj.get("secrets") or [])), AGE),
    ("", "persistentvolumeclaims"): (
        *(NAME, Column("Status", _phase), Column("Volume", field("spec", "volumeName"))),
        *(Column("Capacity", field("status", "capacity", "storage")), _ACCESS, _CLASS, _ATTRIBUTES, AGE, _VOLUME_MODE),
    ),
    ("", "persistentvolumes"): (
        *(NAME, Column("Capacity", field("spec", "capacity", "storage")), _ACCESS),
        *(Column("Reclaim Policy", field("spec", "persistentVolumeReclaimPolicy")), Column("Status", _phase)),
        *(Column("Claim", _claimed_by), _CLASS, _ATTRIBUTES, Column("Reason", field("status", "reason")), AGE),
        _VOLUME_MODE,
    ),
    ("", "resourcequotas"): (NAME, _quota("Request"), _quota("Limit"), AGE),
    ("", "limitranges"): (NAME, Column("Created At", field("metadata", "creationTimestamp"))),
    ("", "endpoints"): (NAME, Column("Endpoints", _endpoints), AGE),
}
