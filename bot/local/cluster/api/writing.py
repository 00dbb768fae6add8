"""Create, replace, patch, delete: requests turned into writes of the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from aiohttp import web

from bot.local.cluster.api import parameters, schemas
from bot.local.cluster.api.context import Call
from bot.local.cluster.api.forms import Renderer
from bot.local.cluster.api.media import answer, encode, read_body, success
from bot.local.cluster.api.parameters import WriteOptions
from bot.local.cluster.store import Resource
from bot.local.cluster.store.deletion import Propagation
from bot.local.cluster.store.errors import bad_request, invalid, unsupported_media
from bot.local.cluster.store.facets import Query
from bot.local.cluster.store.jsonpatch import json_patch
from bot.local.cluster.store.merge import merge_patch
from bot.local.cluster.store.strategic import strategic_merge

Json = dict[str, Any]
APPLY_TYPE = "application/apply-patch+yaml"
_PATCHES = {
    "application/json-patch+json": json_patch,
    "application/merge-patch+json": merge_patch,
    "application/strategic-merge-patch+json": strategic_merge,
}
# their DELETE answers with the object, every other kind's with a Status
_RETURNED = frozenset({"pods", "services", "persistentvolumeclaims", "persistentvolumes", "serviceaccounts"})


def options_of(call: Call) -> WriteOptions:
    """Read the query parameters that every write takes."""
    return WriteOptions.of(call.query, call.request.headers.get("User-Agent", ""))


async def create(call: Call) -> web.StreamResponse:
    """POST of a new object."""
    options, obj = options_of(call), await read_object(call)
    target = call.target
    given = (obj.get("metadata") or {}).get("namespace", "")
    if given and given != target.namespace:
        told = f"({given} != {target.namespace})"
        raise bad_request(
            f"the namespace of the provided object does not match the namespace sent on the request {told}"
        )
    obj, warnings = (await schemas.check_for(target.resource, options.field_validation)).apply(obj)
    made = call.store.create(target.resource, target.namespace, obj, manager=options.manager, dry_run=options.dry_run)
    return _written(call, made, 201, warnings)


async def replace(call: Call) -> web.StreamResponse:
    """PUT of an object or its status."""
    options, obj = options_of(call), await read_object(call)
    target = call.target
    given = (obj.get("metadata") or {}).get("name", target.name)
    if given != target.name:
        raise bad_request(f"the name of the object ({given}) does not match the name on the URL ({target.name})")
    obj, warnings = (await schemas.check_for(target.resource, options.field_validation)).apply(obj)
    return _written(call, _update(call, obj, options), 200, warnings)


async def patch(call: Call) -> web.StreamResponse:
    """PATCH in any of the four formats."""
    options, change = options_of(call), await read_body(call.request)
    target = call.target
    check = await schemas.check_for(target.resource, options.field_validation)
    if call.request.content_type == APPLY_TYPE:
        intent, warnings = check.apply(change)
        _keeps_uid(call, intent)
        applied, made = call.store.apply(
            target.resource,
            target.namespace,
            target.name,
            intent,
            manager=options.manager,
            force=options.force,
            subresource=target.subresource,
            dry_run=options.dry_run,
        )
        return _written(call, applied, 201 if made else 200, warnings)
    patched, warnings = check.apply(patched_with(call, call.stored(), change))
    _keeps_uid(call, patched)
    return _written(call, _update(call, patched, options), 200, warnings)


def _keeps_uid(call: Call, patched: Json) -> None:
    """A patch with another object's uid is invalid, and no conflict as for PUT; ApiError 422."""
    target = call.target
    uid = (patched.get("metadata") or {}).get("uid") or ""
    there = _still_there(call, target.resource, target.namespace, target.name)
    if uid and there and uid != call.stored()["metadata"]["uid"]:
        told = f'Invalid value: "{uid}": field is immutable'
        raise invalid(target.resource, target.name, [("metadata.uid", "FieldValueInvalid", told)])


def patched_with(call: Call, obj: Json, change: Any) -> Json:
    """Return `obj` with a patch applied; ApiError 415 for a format that does not fit."""
    kind = call.request.content_type
    apply = _PATCHES.get(kind)
    if apply is None or (kind.startswith("application/strategic") and call.target.resource.custom):
        raise unsupported_media(kind, [*_PATCHES, APPLY_TYPE])
    patched: Json = apply(obj, change)
    if not isinstance(patched, dict):
        raise bad_request("a patch must leave an object")
    return patched


async def read_object(call: Call) -> Json:
    """Return the body, which must be an object; ApiError 400."""
    body = await read_body(call.request)
    if not isinstance(body, dict):
        raise bad_request("the body of the request must be a JSON object")
    return body


def _update(call: Call, obj: Json, options: WriteOptions) -> Json:
    target = call.target
    return call.store.update(
        target.resource,
        target.namespace,
        target.name,
        obj,
        subresource=target.subresource,
        manager=options.manager,
        dry_run=options.dry_run,
    )


def _written(call: Call, obj: Json, status: int, warnings: list[str]) -> web.StreamResponse:
    response = answer(Renderer(call).one(obj), status)
    for warning in warnings:
        quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.add("Warning", f'299 - "{quoted}"')
    return response


async def delete(call: Call) -> web.StreamResponse:
    """DELETE of one object."""
    body, target = await read_object(call), call.target
    before = call.stored()
    after = remove(call, target.resource, target.namespace, target.name, body)
    marked = _still_there(call, target.resource, target.namespace, target.name)
    if marked or target.resource.plural in _RETURNED or target.resource.custom:
        return answer(Renderer(call).one(after))
    details = {"name": target.name, "group": target.resource.group, "kind": target.resource.plural}
    details = {key: value for key, value in details.items() if value}
    return success(200, details=details | {"uid": before["metadata"]["uid"]})


def _still_there(call: Call, resource: Resource, namespace: str, name: str) -> bool:
    return (namespace if resource.namespaced else "", name) in call.store.state.shelf(resource)


def remove(call: Call, resource: Resource, namespace: str, name: str, options: Json) -> Json:
    """Delete an object as a `DeleteOptions` body says, or, where there is none, the query parameters."""
    query: Mapping[str, str] = {} if options else call.query
    grace = options.get("gracePeriodSeconds", parameters.number(query, "gracePeriodSeconds"))
    return call.store.delete(
        resource,
        namespace,
        name,
        grace_seconds=grace,
        propagation=_propagation(options, query),
        preconditions=options.get("preconditions"),
        dry_run="All" in (options.get("dryRun") or []) or parameters.dry_run(query),
    )


def _propagation(options: Json, query: Mapping[str, str]) -> Propagation:
    if options.get("orphanDependents") or parameters.flag(query, "orphanDependents"):
        return "Orphan"
    asked = options.get("propagationPolicy") or query.get("propagationPolicy") or "Background"
    if asked not in get_args(Propagation):
        raise bad_request(f'propagationPolicy: Unsupported value: "{asked}"')
    return cast(Propagation, asked)


async def delete_collection(call: Call) -> web.StreamResponse:
    """DELETE of everything that the selectors match; answers with what was there."""
    body, target = await read_object(call), call.target
    selection: Query = parameters.selection(call.query, target.resource)
    shelf = call.store.state.shelf(target.resource)
    chosen = [entry for entry in shelf.walk(target.namespace) if selection.selects(entry.facets)]
    for entry in chosen:
        if entry.key in shelf:  # one deletion can take others along
            remove(call, target.resource, *entry.key, body)
    kind = {"kind": f"{target.resource.kind}List", "apiVersion": target.resource.api_version}
    opening = encode({**kind, "metadata": {"resourceVersion": str(call.store.version)}})[:-1] + b',"items":['
    return answer(b"".join((opening, b",".join(entry.encoded for entry in chosen), b"]}")))
