"""Schemas of the built-in kinds, made from the official client's models when something first asks for one.

No schema is shipped: the package that the bot depends on has them all. It takes half a second to import, so that
happens in a thread, and only for requests with `fieldValidation` (kubectl sends it) and for `kubectl explain`. Where
the package or a kind's model is absent, the kind is an open object and nothing is refused.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from bot.local.cluster.store import Resource
from bot.local.cluster.store.custom import DEFINITIONS
from bot.local.cluster.store.errors import ApiError

Json = dict[str, Any]
_OPEN: Json = {"type": "object"}


@dataclass(frozen=True, slots=True)
class Check:
    """How the fields of a request are to be looked at."""

    resource: Resource
    validation: str
    schema: Json

    def apply(self, obj: Json) -> tuple[Json, list[str]]:
        """Return (the object, warnings); ApiError 400 under Strict.

        Strict refuses unknown fields, Warn names and drops them; without either nothing is looked at.
        """
        definitions = self.schema.get("$defs", {})
        unknown = [f'unknown field "{path}"' for path in unknown_fields(obj, self.schema, definitions)]
        if not unknown:
            return obj, []
        if self.validation == "Strict":
            named = f"{self.resource.kind} in version {self.resource.version!r}"
            told = f"{named} cannot be handled: strict decoding error: {', '.join(unknown)}"
            raise ApiError(400, "BadRequest", told)
        dropped: Json = known_part(obj, self.schema, definitions)
        return dropped, unknown


async def check_for(resource: Resource, validation: str) -> Check:
    """Prepare a check; await it before reading what is stored, so that the write itself never yields."""
    looks = validation in ("Strict", "Warn")
    return Check(resource, validation, await asyncio.to_thread(schema_of, resource) if looks else _OPEN)


@cache
def schema_of(resource: Resource) -> Json:
    """Return the JSON schema of a kind, with its definitions under `$defs`; an open object when there is none."""
    model = None if resource.custom or resource is DEFINITIONS else _model(resource)
    if model is None:
        return _OPEN
    schema: Json = model.model_json_schema(by_alias=True)
    return schema


def _model(resource: Resource) -> Any:
    try:
        models = importlib.import_module("kubernetes.client.models")
    except ImportError:
        return None
    version = resource.version[:1].upper() + resource.version[1:]
    # kinds that share a name with another group's carry their group in the model's name
    group = (resource.group.partition(".")[0] or "core").capitalize()
    for name in (f"{group}{version}{resource.kind}", f"{version}{resource.kind}"):
        if found := getattr(models, name, None):
            return found
    return None


def unknown_fields(value: Any, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of each field that a schema does not have, as the API server spells it: spec.a[0].b."""
    schema = resolve(schema, definitions)
    if isinstance(value, list):
        for i, item in enumerate(value):
            for path in unknown_fields(item, schema.get("items") or {}, definitions):
                yield f"[{i}]{path}" if path.startswith("[") else f"[{i}].{path}"
    elif isinstance(value, dict):
        for key, part in value.items():
            below = _property(schema, key)
            if below is None:
                yield key
                continue
            for path in unknown_fields(part, below, definitions):
                yield f"{key}{path}" if path.startswith("[") else f"{key}.{path}"


def known_part(value: Any, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    """Return a value without the fields that its schema does not have."""
    schema = resolve(schema, definitions)
    if isinstance(value, list):
        return [known_part(item, schema.get("items") or {}, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    parts = ((key, part, _property(schema, key)) for key, part in value.items())
    return {key: known_part(part, below, definitions) for key, part, below in parts if below is not None}


def _property(schema: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """Return the schema of one field, an open one where anything goes, None where the field is unknown."""
    properties = schema.get("properties")
    if properties is None:
        more = schema.get("additionalProperties")
        return more if isinstance(more, dict) else {}
    found: Mapping[str, Any] | None = properties.get(key)
    return found


def resolve(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow `$ref`, and `anyOf` with null, to the schema that says something."""
    for option in schema.get("anyOf") or ():
        if option.get("type") != "null":
            return resolve(option, definitions)
    if name := schema.get("$ref", "").rpartition("/")[2]:
        return resolve(definitions[name], definitions)
    return schema
