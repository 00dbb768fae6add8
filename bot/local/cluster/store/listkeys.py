"""Which lists are merged item by item, and by which keys: the part of the schema that patches and apply need.

From the `patchMergeKey`, `listType` and `listMapKey` markers of kubernetes/kubernetes:staging/src/k8s.io/api. A list
that is not named here is replaced as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ListKind:
    """How one list merges: `patch_key` for strategic merge, `keys` for apply; no key at all means a set of values."""

    patch_key: str = ""
    keys: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_set(self) -> bool:
        """Whether items are plain values."""
        return not self.keys

    def identity(self, item: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values that tell an item of this list from the others."""
        return tuple(item.get(key, self.defaults.get(key)) for key in self.keys)


def _by(*keys: str, **defaults: Any) -> ListKind:
    return ListKind(keys[0], keys, defaults)


_SET = ListKind()
_TCP = {"protocol": "TCP"}
_BY_FIELD: Mapping[str, ListKind] = {
    "containers": _by("name"),
    "initContainers": _by("name"),
    "ephemeralContainers": _by("name"),
    "volumes": _by("name"),
    "env": _by("name"),
    "volumeMounts": _by("mountPath"),
    "volumeDevices": _by("devicePath"),
    "imagePullSecrets": _by("name"),
    "hostAliases": _by("ip"),
    "topologySpreadConstraints": _by("topologyKey", "whenUnsatisfiable"),
    "resourceClaims": _by("name"),
    "schedulingGates": _by("name"),
    "conditions": _by("type"),
    "podIPs": _by("ip"),
    "finalizers": _SET,
    "ownerReferences": _by("uid"),
}
# a field name that means another list elsewhere: (the field around it, the field)
_BY_PARENT: Mapping[tuple[str, str], ListKind] = {
    ("containers", "ports"): _by("containerPort", "protocol", **_TCP),
    ("initContainers", "ports"): _by("containerPort", "protocol", **_TCP),
    ("ephemeralContainers", "ports"): _by("containerPort", "protocol", **_TCP),
    ("spec", "ports"): _by("port", "protocol", **_TCP),
    ("resources", "claims"): _by("name"),
    ("status", "addresses"): _by("type"),
    ("status", "reservedFor"): _by("uid"),
    ("spec", "drivers"): _by("name"),
    ("", "secrets"): _by("name"),
}
_OF_CUSTOM: Mapping[str, ListKind] = {"finalizers": _SET, "ownerReferences": _by("uid")}


@dataclass(frozen=True, slots=True)
class ListKeys:
    """The table for one family of kinds."""

    by_field: Mapping[str, ListKind]
    by_parent: Mapping[tuple[str, str], ListKind]

    def of(self, parent: str, name: str) -> ListKind | None:
        """How the list `name` inside `parent` merges; None when it is replaced as a whole."""
        return self.by_parent.get((parent, name)) or self.by_field.get(name)


BUILT_IN = ListKeys(_BY_FIELD, _BY_PARENT)
CUSTOM = ListKeys(_OF_CUSTOM, {})
"""Custom resources: only their metadata has merged lists."""
ATOMIC_MAPS = frozenset({"selector", "labelSelector", "namespaceSelector", "nodeSelector", "nodeSelectorTerms"})
"""Objects that one manager owns as a whole (`mapType=atomic`)."""
