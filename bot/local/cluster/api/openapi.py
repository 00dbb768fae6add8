"""OpenAPI v3, as far as clients use it.

kubectl reads whether PATCH takes `fieldValidation` and `dryRun`, and `explain` reads the schemas.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.local.cluster.api.media import answer
from bot.local.cluster.api.schemas import resolve, schema_of
from bot.local.cluster.store import Resource, Store
from bot.local.cluster.store.custom import DEFINITIONS, storage_version
from bot.local.cluster.store.errors import no_such_path
from bot.local.cluster.store.listkeys import BUILT_IN

Json = dict[str, Any]
_ROOT = "/openapi/v3"
_WRITE_PARAMETERS = ("dryRun", "fieldManager", "fieldValidation", "force")
_BODIES = ("json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml")
_MODEL = re.compile(r"((?:[A-Z][a-z]+)?V\d+(?:(?:alpha|beta)\d+)?)([A-Z]\w*)")
# the field that a model stands in, where that tells one list from another of the same name
_PARENTS = {
    "V1Container": "containers",
    "V1EphemeralContainer": "ephemeralContainers",
    "V1NodeStatus": "status",
    "V1ResourceRequirements": "resources",
    "V1ServiceSpec": "spec",
}
_OPEN: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


async def openapi(path: str, store: Store, version: str) -> web.Response:
    """Answer /openapi/v3 and the documents below it; ApiError 404 (v2 included, which clients no longer need)."""
    path = path.rstrip("/")
    if path == _ROOT:
        return answer(_index(store))
    served = [r for r in store.resources.values() if f"{_ROOT}/{_group_path(r)}" == path]
    if not served:
        raise no_such_path()
    return answer(await asyncio.to_thread(_document, served, _custom_schemas(store, served), version))


def _group_path(resource: Resource) -> str:
    return f"apis/{resource.api_version}" if resource.group else f"api/{resource.version}"


def _index(store: Store) -> Json:
    paths = {}
    for group_path in sorted({_group_path(resource) for resource in store.resources.values()}):
        # the hash is what clients cache by: it changes when a kind comes or goes
        kinds = sorted(r.qualified for r in store.resources.values() if _group_path(r) == group_path)
        digest = hashlib.sha256(" ".join(kinds).encode()).hexdigest()[:32].upper()
        paths[group_path] = {"serverRelativeURL": f"{_ROOT}/{group_path}?hash={digest}"}
    return {"paths": paths}


def _custom_schemas(store: Store, served: list[Resource]) -> dict[str, Json]:
    found = {}
    for resource in served:
        if resource.custom:
            version = storage_version(store.get(DEFINITIONS, "", resource.qualified))
            found[resource.kind] = (version.get("schema") or {}).get("openAPIV3Schema") or _OPEN
    return found


def _document(served: list[Resource], custom: Mapping[str, Json], version: str) -> Json:
    components: dict[str, Json] = {}
    paths: Json = {}
    for resource in served:
        kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
        own, definitions = _schemas(resource, custom)
        components |= definitions
        components[resource.kind] = {**own, "x-kubernetes-group-version-kind": [kind]}
        scope = "namespaces/{namespace}/" if resource.namespaced else ""
        paths[f"/{_group_path(resource)}/{scope}{resource.plural}/{{name}}"] = _operations(resource, kind)
    info = {"title": "Kubernetes", "version": version}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": components}}


def _operations(resource: Resource, kind: Json) -> Json:
    schema = {"schema": {"$ref": f"#/components/schemas/{resource.kind}"}}
    answers = {"200": {"description": "OK", "content": {"application/json": schema}}}
    parameters = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in _WRITE_PARAMETERS]
    get = {"x-kubernetes-action": "get", "x-kubernetes-group-version-kind": kind, "responses": answers}
    if "patch" not in resource.verbs:
        return {"get": get}
    bodies = {f"application/{body}": {"schema": _OPEN} for body in _BODIES}
    patch = {**get, "x-kubernetes-action": "patch", "parameters": parameters, "requestBody": {"content": bodies}}
    return {"get": get, "patch": patch}


def _schemas(resource: Resource, custom: Mapping[str, Json]) -> tuple[Json, dict[str, Json]]:
    if resource.kind in custom:
        return custom[resource.kind], {}
    schema = schema_of(resource)
    definitions: Mapping[str, Any] = schema.get("$defs") or {}
    named = {
        _component(name): _merged_by_key(name, definition, definitions) for name, definition in definitions.items()
    }
    return _merged_by_key(f"V1{resource.kind}", schema, definitions), named


def _merged_by_key(model: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Json:
    """Return a schema that says which lists merge by which key: `kubectl apply` makes its patches by that."""
    plain = _plain(schema, definitions)
    for name, part in plain.get("properties", {}).items():
        kind = BUILT_IN.of(_PARENTS.get(model, ""), name)
        if kind and part.get("type") == "array":
            part["x-kubernetes-patch-strategy"] = "merge"
            part |= {"x-kubernetes-patch-merge-key": kind.patch_key} if kind.patch_key else {}
    return plain


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Json:
    """Return a schema as Kubernetes writes them: no null alternatives, references into the components."""
    if name := schema.get("$ref", "").rpartition("/")[2]:
        return {"allOf": [{"$ref": f"#/components/schemas/{_component(name)}"}], "default": {}}
    for option in schema.get("anyOf") or ():
        if option.get("type") != "null":
            return _described(_plain(option, definitions), schema)
    plain: Json = {"type": resolve(schema, definitions).get("type", "object")}
    if properties := schema.get("properties"):
        plain["properties"] = {key: _plain(part, definitions) for key, part in properties.items()}
    if items := schema.get("items"):
        plain["items"] = _plain(items, definitions)
    if isinstance(more := schema.get("additionalProperties"), dict):
        plain["additionalProperties"] = _plain(more, definitions)
    if required := schema.get("required"):
        plain["required"] = required
    return _described(plain, schema)


def _component(model: str) -> str:
    """Return a name whose last part is the type's own, which is what `explain` prints: v1.Container."""
    found = _MODEL.fullmatch(model)
    return f"{found[1].lower()}.{found[2]}" if found else model


def _described(plain: Json, schema: Mapping[str, Any]) -> Json:
    # the models append a note on their own attributes to a kind's description
    described = str(schema.get("description", "")).partition("\n\nAttributes:")[0]
    return {**plain, "description": described} if described else plain
