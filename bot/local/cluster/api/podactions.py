"""What can be done to a pod besides reading and writing it: bind it, evict it, read its log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aiohttp import web

from bot.local.cluster.api import parameters, writing
from bot.local.cluster.api.context import Call
from bot.local.cluster.api.media import success
from bot.local.cluster.store import RESOURCES
from bot.local.cluster.store.errors import ApiError, bad_request, conflict
from bot.local.cluster.store.selectors import from_object, matches

Json = dict[str, Any]
_BUDGETS = RESOURCES["policy", "poddisruptionbudgets"]
_UNPROTECTED = ("Pending", "Succeeded", "Failed")


async def bind(call: Call) -> web.StreamResponse:
    """POST of a Binding: the scheduler's decision."""
    body, pod = await writing.read_object(call), call.stored()
    node = (body.get("target") or {}).get("name")
    options = writing.options_of(call)
    if not node:
        raise bad_request("Binding.target.name: Required value")
    if pod["spec"].get("nodeName"):
        why = f"pod {call.target.name} is already assigned to node {pod['spec']['nodeName']!r}"
        raise conflict(call.target.resource, call.target.name, why)
    bound = {**pod, "spec": {**pod["spec"], "nodeName": node}}
    call.store.update(
        call.target.resource,
        call.target.namespace,
        call.target.name,
        bound,
        subresource="binding",
        manager=options.manager,
        dry_run=options.dry_run,
    )
    return success(201)


async def evict(call: Call) -> web.StreamResponse:
    """POST of an Eviction: a deletion that disruption budgets can refuse (429)."""
    body, pod = await writing.read_object(call), call.stored()
    options = body.get("deleteOptions") or {}
    dry_run = parameters.dry_run(call.query) or "All" in (options.get("dryRun") or ())
    if not _unprotected(pod):
        _take_from_budget(call, pod, dry_run)
    options |= {"dryRun": ["All"]} if dry_run else {}
    writing.remove(call, call.target.resource, call.target.namespace, call.target.name, options)
    return success(201)


def _unprotected(pod: Json) -> bool:
    """It has ended, never started, or goes already: no budget counts it."""
    return (pod.get("status") or {}).get("phase") in _UNPROTECTED or "deletionTimestamp" in pod["metadata"]


def _take_from_budget(call: Call, pod: Json, dry_run: bool) -> None:
    """One disruption less, until a controller counts anew; ApiError 429, or 500 where two budgets select the pod."""
    budgets = list(_budgets(call, pod))
    if len(budgets) > 1:
        told = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        raise ApiError(500, "InternalError", told)
    for budget in budgets:
        _check_budget(budget)
        status = budget.get("status") or {}
        taken = {**budget, "status": {**status, "disruptionsAllowed": status["disruptionsAllowed"] - 1}}
        name, namespace = budget["metadata"]["name"], call.target.namespace
        call.store.update(_BUDGETS, namespace, name, taken, subresource="status", dry_run=dry_run)


def _budgets(call: Call, pod: Json) -> Iterator[Json]:
    labels = pod["metadata"].get("labels") or {}
    for budget in call.store.list(_BUDGETS, call.target.namespace):
        selector = from_object(budget["spec"].get("selector"))
        if selector is not None and matches(selector, labels):
            yield budget


def _check_budget(budget: Json) -> None:
    status, name = budget.get("status") or {}, budget["metadata"]["name"]
    if status.get("disruptionsAllowed", 0) > 0:
        return
    needs, has = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    told = f"The disruption budget {name} needs {needs} healthy pods and has {has} currently"
    causes = [{"reason": "DisruptionBudget", "message": told}]
    message = "Cannot evict pod as it would violate the pod's disruption budget."
    raise ApiError(429, "TooManyRequests", message, {"causes": causes})


async def log(call: Call) -> web.StreamResponse:
    """GET of a container's log: the text that the `logs` callback gives, its last lines if so asked."""
    pod = call.stored()
    names = [c["name"] for key in ("initContainers", "containers") for c in pod["spec"].get(key) or []]
    asked = call.query.get("container", "")
    if not asked and len(pod["spec"]["containers"]) > 1:
        told = " ".join(container["name"] for container in pod["spec"]["containers"])
        raise bad_request(f"a container name must be specified for pod {call.target.name}, choose one of: [{told}]")
    name = asked or pod["spec"]["containers"][0]["name"]
    if name not in names:
        raise bad_request(f"container {name} is not valid for pod {call.target.name}")
    reader = call.serving.logs
    text = reader(call.target.namespace, call.target.name, name, dict(call.query)) if reader else ""
    return web.Response(text=_last_lines(text, call.query.get("tailLines", "")), content_type="text/plain")


def _last_lines(text: str, count: str) -> str:
    if not count.isdigit():
        return text
    lines = text.splitlines(keepends=True)
    return "".join(lines[-int(count) :]) if int(count) else ""
