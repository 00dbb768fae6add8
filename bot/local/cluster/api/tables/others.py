"""The tables of the remaining groups: leases, classes, devices, storage, access, metrics."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.local.cluster.api.tables.columns import AGE, CREATED_AT, NAME, NONE, UNSET, Column, Json, at, field, joined


def _yes(*path: str) -> Column:
    *keys, name = path
    return Column(name, lambda obj, now: bool(at(obj, *keys)), type="boolean")


def _claim_state(claim: Json, now: datetime) -> str:
    if at(claim, "metadata", "deletionTimestamp"):
        return "deleted"
    if not at(claim, "status", "allocation"):
        return "pending"
    return "allocated,reserved" if at(claim, "status", "reservedFor") else "allocated"


def _hosts(ingress: Json, now: datetime) -> str:
    return joined((rule.get("host") or "*" for rule in at(ingress, "spec", "rules", default=[])), "*")


def _role(binding: Json, now: datetime) -> str:
    return f"{at(binding, 'roleRef', 'kind')}/{at(binding, 'roleRef', 'name')}"


def _slice_ports(endpoints: Json, now: datetime) -> str:
    return joined((port.get("port") for port in endpoints.get("ports") or []), UNSET)


def _slice_addresses(endpoints: Json, now: datetime) -> str:
    return joined(address for one in endpoints.get("endpoints") or [] for address in one.get("addresses") or [])


_BINDING = (NAME, Column("Role", _role), AGE)

COLUMNS: Mapping[tuple[str, str], tuple[Column, ...]] = {
    ("coordination.k8s.io", "leases"): (NAME, Column("Holder", field("spec", "holderIdentity")), AGE),
    ("scheduling.k8s.io", "priorityclasses"): (
        *(NAME, Column("Value", field("value"), type="integer"), _yes("globalDefault", "Global-Default"), AGE),
        Column("PreemptionPolicy", field("preemptionPolicy"), 1),
    ),
    ("storage.k8s.io", "storageclasses"): (
        *(NAME, Column("Provisioner", field("provisioner")), Column("ReclaimPolicy", field("reclaimPolicy"))),
        Column("VolumeBindingMode", field("volumeBindingMode")),
        *(_yes("allowVolumeExpansion", "AllowVolumeExpansion"), AGE),
    ),
    ("storage.k8s.io", "csinodes"): (
        NAME,
        Column("Drivers", lambda obj, now: len(at(obj, "spec", "drivers", default=[])), type="integer"),
        AGE,
    ),
    ("storage.k8s.io", "volumeattachments"): (
        *(NAME, Column("Attacher", field("spec", "attacher"))),
        *(Column("PV", field("spec", "source", "persistentVolumeName")), Column("Node", field("spec", "nodeName"))),
        *(_yes("status", "attached", "Attached"), AGE),
    ),
    ("resource.k8s.io", "resourceslices"): (
        *(NAME, Column("Node", field("spec", "nodeName", default=UNSET)), Column("Driver", field("spec", "driver"))),
        *(Column("Pool", field("spec", "pool", "name")), AGE),
    ),
    ("resource.k8s.io", "resourceclaims"): (NAME, Column("State", _claim_state), AGE),
    ("node.k8s.io", "runtimeclasses"): (NAME, Column("Handler", field("handler")), AGE),
    ("networking.k8s.io", "ingresses"): (
        *(NAME, Column("Class", field("spec", "ingressClassName", default=NONE)), Column("Hosts", _hosts)),
        Column("Address", field("status", "loadBalancer", "ingress", 0, "ip")),
        *(Column("Ports", lambda obj, now: "80, 443" if at(obj, "spec", "tls") else "80"), AGE),
    ),
    ("discovery.k8s.io", "endpointslices"): (
        *(NAME, Column("AddressType", field("addressType")), Column("Ports", _slice_ports)),
        *(Column("Endpoints", _slice_addresses), AGE),
    ),
    ("rbac.authorization.k8s.io", "roles"): (NAME, CREATED_AT),
    ("rbac.authorization.k8s.io", "clusterroles"): (NAME, CREATED_AT),
    ("rbac.authorization.k8s.io", "rolebindings"): _BINDING,
    ("rbac.authorization.k8s.io", "clusterrolebindings"): _BINDING,
    ("apiextensions.k8s.io", "customresourcedefinitions"): (NAME, CREATED_AT),
    ("metrics.k8s.io", "nodes"): (
        *(NAME, Column("cpu", field("usage", "cpu")), Column("memory", field("usage", "memory"))),
        Column("Window", field("window")),
    ),
}
