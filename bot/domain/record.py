"""The base of every record that is kept in memory for a Kubernetes object.

Records are small (a fleet has a hundred thousand of them), never change once made, are compared by identity (so that
indexes can hold them in sets) and hold no cycles, which is why the garbage collector need not look at them.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

Labels = Mapping[str, str]
Amounts = Mapping[str, int]  # resource name → whole number: millicores for cpu, bytes or pieces otherwise
NONE: Mapping[str, str] = MappingProxyType({})
NO_AMOUNTS: Mapping[str, int] = MappingProxyType({})


class Record(msgspec.Struct, frozen=True, eq=False, gc=False, kw_only=True):
    """What is kept of one object."""

    name: str
    uid: str = ""
    version: str = ""  # its resourceVersion: opaque, only ever compared for equality
    created: str = ""  # RFC 3339, as the API server wrote it


class Owner(msgspec.Struct, frozen=True, gc=False):
    """The controller of an object, from its ownerReferences."""

    kind: str
    name: str
    uid: str = ""
    api_version: str = ""
