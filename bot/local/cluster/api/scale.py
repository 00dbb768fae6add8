"""The scale subresource: replicas of a workload, as an autoscaling/v1 `Scale`."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from bot.local.cluster.api import writing
from bot.local.cluster.api.context import Call
from bot.local.cluster.api.media import answer, read_body
from bot.local.cluster.store.custom import DEFINITIONS, storage_version
from bot.local.cluster.store.errors import bad_request, conflict, stale
from bot.local.cluster.store.selectors import from_object, render

Json = dict[str, Any]
_KEPT = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_PATHS = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ""}


async def scale(call: Call) -> web.StreamResponse:
    """GET, PUT or PATCH of a Scale."""
    body = {} if call.request.method == "GET" else await read_body(call.request)
    obj = call.stored()  # read after the body: nothing can come between it and the write
    paths = _paths(call)
    present = _scale_of(obj, paths)
    if call.request.method == "GET":
        return answer(present)
    wanted = _wanted(call, present, body)
    version = (wanted.get("metadata") or {}).get("resourceVersion")
    if version not in (None, "", obj["metadata"]["resourceVersion"]):
        raise stale(call.target.resource, call.target.name)
    uid, present_uid = (wanted.get("metadata") or {}).get("uid"), obj["metadata"]["uid"]
    if uid not in (None, "", present_uid):
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {present_uid}"
        raise conflict(call.target.resource, call.target.name, why)
    replicas = (wanted.get("spec") or {}).get("replicas", 0)
    if not isinstance(replicas, int) or replicas < 0:
        raise bad_request(f"spec.replicas: Invalid value: {replicas}: must be greater than or equal to 0")
    options = writing.options_of(call)
    target = call.target
    changed = call.store.update(
        target.resource,
        target.namespace,
        target.name,
        _set(obj, paths["specReplicasPath"], replicas),
        subresource="scale",
        manager=options.manager,
        dry_run=options.dry_run,
    )
    return answer(_scale_of(changed, paths))


def _wanted(call: Call, present: Json, change: Any) -> Json:
    if call.request.method == "PUT":
        return dict(change)
    if call.request.content_type == writing.APPLY_TYPE:
        return {"spec": {**present["spec"], **(change.get("spec") or {})}}
    return writing.patched_with(call, present, change)


def _paths(call: Call) -> dict[str, str]:
    if not call.target.resource.custom:
        return _PATHS
    definition = call.store.get(DEFINITIONS, "", call.target.resource.qualified)
    declared: dict[str, str] = storage_version(definition)["subresources"]["scale"]
    return {**_PATHS, **declared}


def _scale_of(obj: Json, paths: dict[str, str]) -> Json:
    metadata = {key: obj["metadata"][key] for key in _KEPT if key in obj["metadata"]}
    status: Json = {"replicas": _read(obj, paths["statusReplicasPath"]) or 0}
    if selector := _selector(obj, paths):
        status["selector"] = selector
    kind = {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata}
    return {**kind, "spec": {"replicas": _read(obj, paths["specReplicasPath"]) or 0}, "status": status}


def _selector(obj: Json, paths: dict[str, str]) -> str:
    if paths["labelSelectorPath"]:
        return str(_read(obj, paths["labelSelectorPath"]) or "")
    selector = (obj.get("spec") or {}).get("selector")
    if isinstance(selector, dict) and not {"matchLabels", "matchExpressions"} & selector.keys():
        selector = {"matchLabels": selector}  # a ReplicationController's selector is a plain map
    return render(from_object(selector) or ())


def _read(obj: Any, path: str) -> Any:
    for part in path.strip(".").split("."):
        obj = obj.get(part) if isinstance(obj, dict) else None
    return obj


def _set(obj: Json, path: str, value: int) -> Json:
    first, _, rest = path.strip(".").partition(".")
    return {**obj, first: _set(obj.get(first) or {}, rest, value) if rest else value}
