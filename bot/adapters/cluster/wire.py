"""The JSON of the API server, as far as it is read: field subsets that msgspec decodes and everything else skips.

What many objects repeat byte for byte stays `msgspec.Raw` and is looked up in `Shared`. A Raw holds on to the whole
message it came from, so none may outlive the conversion of its object.
"""

import msgspec

ABSENT = msgspec.Raw(b"null")


class Wire(msgspec.Struct, gc=False, rename="camel"):
    """Base of all wire structs: camel case names; no cycles, so nothing for the garbage collector to follow."""


class Metadata(Wire):
    """ObjectMeta. `labels` and `owner_references` are shared by the pods of one template."""

    name: str
    namespace: str | None = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str | None = ""
    deletion_timestamp: str | None = ""
    labels: msgspec.Raw = ABSENT
    owner_references: msgspec.Raw = ABSENT

    @property
    def place(self) -> str:
        """The namespace; objects in a folder often leave the default one out."""
        return self.namespace or "default"


class WireCondition(Wire):
    """One entry of status.conditions, of nodes and pods."""

    type: str
    status: str = ""
    reason: str | None = ""
    message: str | None = ""
    last_transition_time: str | None = ""


class WireOwner(Wire):
    """One entry of metadata.ownerReferences."""

    kind: str
    name: str
    uid: str = ""
    api_version: str = ""
    controller: bool | None = None


class WireResources(Wire):
    """ResourceRequirements. Quantities are texts in JSON from a server; people also write bare numbers."""

    requests: dict[str, str | int | float] | None = None
    limits: dict[str, str | int | float] | None = None
