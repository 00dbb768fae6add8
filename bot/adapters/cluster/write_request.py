"""One step of a plan as the request that does it. Pure.

Never forced, always under our own field manager, unknown fields refused. A uid in the target goes along with every
verb, in the form that makes the API server refuse another object of the same name: a field of the patch (it is
immutable, kubernetes/apimachinery:pkg/api/validation/objectmeta.go), or a precondition of the deletion.
"""

from typing import Any

from bot.adapters.cluster.outgoing import APPLY_PATCH, JSON, MERGE_PATCH, Outgoing, path_of
from bot.domain.change import Step, Target, Verb

FIELD_MANAGER = "gpubot"
_ALL = {"dryRun": "All"}
_SAID = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"}

Body = dict[str, Any]


def request_of(step: Step, *, dry_run: bool) -> Outgoing:
    """Raises ValueError for a target that no path can name."""
    match step.verb:
        case Verb.PATCH:
            return _patch(step, _with_uid(step.body, step.target.uid), MERGE_PATCH, dry_run)
        case Verb.APPLY:
            return _patch(step, _with_uid(_whole(step), step.target.uid), APPLY_PATCH, dry_run)
        case Verb.CREATE:
            return _create(step, dry_run)
        case Verb.DELETE:
            return _delete(step, dry_run)
        case Verb.EVICT:
            return _evict(step.target, step.body, dry_run)


def object_path(target: Target) -> str:
    """Of the object itself, or of its scale or status. An eviction is nothing that can be read."""
    sub = "" if target.subresource == "eviction" else target.subresource
    return path_of(target.api_version, target.resource, target.namespace, target.name, sub)


def _patch(step: Step, body: Body, content_type: str, dry_run: bool) -> Outgoing:
    params = _SAID | ({"force": "false"} if content_type == APPLY_PATCH else {}) | (_ALL if dry_run else {})
    return Outgoing("PATCH", object_path(step.target), body, params, content_type)


def _create(step: Step, dry_run: bool) -> Outgoing:
    target = step.target
    folder = path_of(target.api_version, target.resource, target.namespace)
    return Outgoing("POST", folder, _whole(step), _SAID | (_ALL if dry_run else {}), JSON)


def _delete(step: Step, dry_run: bool) -> Outgoing:
    """Everything stands in the body: where there is one, the API server does not look at the parameters."""
    target = step.target
    path = path_of(target.api_version, target.resource, target.namespace, target.name)
    options = {"apiVersion": "v1", "kind": "DeleteOptions", **_deletion(step.body, target.uid, dry_run)}
    return Outgoing("DELETE", path, options)


def _evict(target: Target, options: Body, dry_run: bool) -> Outgoing:
    path = path_of(target.api_version, target.resource, target.namespace, target.name, "eviction")
    metadata = {"name": target.name, "namespace": target.namespace}
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
    params = {"fieldManager": FIELD_MANAGER} | (_ALL if dry_run else {})
    return Outgoing("POST", path, {**body, "deleteOptions": _deletion(options, target.uid, dry_run)}, params)


def _deletion(options: Body, uid: str, dry_run: bool) -> Body:
    """DeleteOptions: those of the step (gracePeriodSeconds, propagationPolicy), and ours."""
    conditions = {**options.get("preconditions", {}), **({"uid": uid} if uid else {})}
    return {
        **options,
        **({"preconditions": conditions} if conditions else {}),
        **({"dryRun": ["All"]} if dry_run else {}),
    }


def _whole(step: Step) -> Body:
    """The object with what its path says already."""
    target = step.target
    named = {"name": target.name, **({"namespace": target.namespace} if target.namespace else {})}
    metadata = {**named, **step.body.get("metadata", {})}
    return {"apiVersion": target.api_version, "kind": target.kind, **step.body, "metadata": metadata}


def _with_uid(body: Body, uid: str) -> Body:
    return {**body, "metadata": {**body.get("metadata", {}), "uid": uid}} if uid else body
