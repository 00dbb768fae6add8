"""Objects in the form that the client asked for: as stored, as table rows, or metadata only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from bot.local.cluster.api.context import Call
from bot.local.cluster.api.media import Form, encode, form_of
from bot.local.cluster.api.tables import BUILT_IN, PLAIN, Include, partial_metadata, table
from bot.local.cluster.api.tables.columns import Column
from bot.local.cluster.api.tables.printed import declared_columns
from bot.local.cluster.store.custom import DEFINITIONS, storage_version

Json = dict[str, Any]


class Renderer:
    """Writes one resource's objects in one form."""

    def __init__(self, call: Call) -> None:
        self.form: Form = form_of(call.request.headers.get("Accept", ""))
        self._call = call
        include = call.query.get("includeObject", "Metadata")
        self._include = cast(Include, include if include in ("None", "Object") else "Metadata")
        self._headed = True

    @property
    def as_stored(self) -> bool:
        """Whether stored bytes can go out as they are."""
        return self.form.shape == "Object"

    def one(self, obj: Json) -> Json:
        """Return a single object."""
        if self.form.shape == "Table":
            return self._table([obj], {"resourceVersion": obj["metadata"].get("resourceVersion", "")})
        return partial_metadata(obj) if self.form.shape == "PartialObjectMetadata" else obj

    def many(self, objects: Iterable[Json], metadata: Json) -> Json:
        """Return a list in a form other than the stored one."""
        if self.form.shape == "Table":
            return self._table(objects, metadata)
        items = [partial_metadata(obj) for obj in objects]
        kind = {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1"}
        return {**kind, "metadata": metadata, "items": items}

    def event_object(self, obj: Json) -> bytes:
        """Return the object of a watch event; only a watch's first table says its columns."""
        rendered = encode(self.one(obj))
        self._headed = False
        return rendered

    def _table(self, objects: Iterable[Json], metadata: Json) -> Json:
        now = self._call.store.now()
        return table(self._columns(), objects, metadata, now, include=self._include, headed=self._headed)

    def _columns(self) -> tuple[Column, ...]:
        resource = self._call.target.resource
        if not resource.custom:
            return BUILT_IN.get(resource.key, PLAIN)
        definition = self._call.store.get(DEFINITIONS, "", resource.qualified)
        return declared_columns(storage_version(definition))
