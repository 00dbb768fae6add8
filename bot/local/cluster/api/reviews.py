"""Reviews: create-only kinds that answer a question about access instead of being stored."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from bot.local.cluster.api import writing
from bot.local.cluster.api.access import User
from bot.local.cluster.api.context import Call
from bot.local.cluster.api.media import answer
from bot.local.cluster.api.rbac import Ask

Json = dict[str, Any]


async def review(call: Call) -> web.StreamResponse:
    """POST of any of the reviews."""
    body = await writing.read_object(call)
    resource = call.target.resource
    status = _STATUS[resource.plural](call, body.get("spec") or {})
    kind = {"kind": resource.kind, "apiVersion": resource.api_version}
    return answer({**body, **kind, "metadata": body.get("metadata") or {}, "status": status}, 201)


def _access(call: Call, user: User, spec: Json) -> Json:
    asked = spec.get("resourceAttributes")
    if asked is None:
        return {"allowed": True}  # paths outside the resources are open to everybody here
    resource = asked.get("resource", "")
    if asked.get("subresource"):
        resource += "/" + asked["subresource"]
    verb, group, namespace = asked.get("verb", ""), asked.get("group", ""), asked.get("namespace", "")
    return {"allowed": call.serving.may(user, Ask(verb, group, resource, namespace, asked.get("name", "")))}


def _own_access(call: Call, spec: Json) -> Json:
    return _access(call, call.user, spec)


def _other_access(call: Call, spec: Json) -> Json:
    return _access(call, User(spec.get("user", ""), tuple(spec.get("groups") or ())), spec)


def _rules(call: Call, spec: Json) -> Json:
    """Ask about every verb of every resource, since `may` is a question and not a list."""
    namespace = spec.get("namespace", "")
    rules = []
    for resource in call.store.resources.values():
        names = [resource.plural, *(f"{resource.plural}/{sub}" for sub in sorted(resource.subresources))]
        for name in names:
            asks = [Ask(verb, resource.group, name, namespace) for verb in resource.verbs]
            verbs = [ask.verb for ask in asks if call.serving.may(call.user, ask)]
            if verbs:
                rules.append({"verbs": verbs, "apiGroups": [resource.group], "resources": [name]})
    open_paths = {"verbs": ["get"], "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/api", "/apis"]}
    return {"resourceRules": rules, "nonResourceRules": [open_paths], "incomplete": False}


def _who_am_i(call: Call, spec: Json) -> Json:
    return {"userInfo": _info(call.user)}


def _token(call: Call, spec: Json) -> Json:
    user = (call.serving.tokens or {}).get(spec.get("token", ""))
    if user is None:
        return {"authenticated": False, "error": "token is not known"}
    return {"authenticated": True, "user": _info(user)}


def _info(user: User) -> Json:
    return {"username": user.name, "groups": list(user.all_groups)}


_STATUS = {
    "selfsubjectaccessreviews": _own_access,
    "subjectaccessreviews": _other_access,
    "selfsubjectrulesreviews": _rules,
    "selfsubjectreviews": _who_am_i,
    "tokenreviews": _token,
}
