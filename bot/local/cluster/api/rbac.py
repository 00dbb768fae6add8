"""Who may do what by the Roles and bindings that the store holds.

A cluster without any binding lets everybody in, so that nobody has to write roles before the first try; with the
first binding it is as strict as a real one. Not here: aggregated ClusterRoles, and the roles that a real one is born
with. Source: kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/ and pkg/apis/rbac/v1/evaluation_helpers.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bot.local.cluster.api.access import User
from bot.local.cluster.store import RESOURCES, Resource, Store
from bot.local.cluster.store.errors import ApiError

Json = dict[str, Any]
_GROUP = "rbac.authorization.k8s.io"
_ROLES, _CLUSTER_ROLES = RESOURCES[_GROUP, "roles"], RESOURCES[_GROUP, "clusterroles"]
_BINDINGS, _CLUSTER_BINDINGS = RESOURCES[_GROUP, "rolebindings"], RESOURCES[_GROUP, "clusterrolebindings"]
_SUPERUSERS = "system:masters"
_ACCOUNT = "system:serviceaccount"


@dataclass(frozen=True, slots=True)
class Ask:
    """`resource` is `pods` or `pods/log`; `namespace` "" is all of them; `name` "" is no object in particular."""

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""


def permits(store: Store, user: User, ask: Ask) -> bool:
    """Whether a binding gives it to the user, or nothing is bound at all."""
    if _SUPERUSERS in user.groups or not (store.list(_CLUSTER_BINDINGS) or store.list(_BINDINGS)):
        return True
    return any(_covers(rule, ask) for rule in _rules(store, user, ask.namespace))


def _rules(store: Store, user: User, namespace: str) -> Iterator[Json]:
    bindings = [(binding, "") for binding in store.list(_CLUSTER_BINDINGS)]
    if namespace:
        bindings += [(binding, namespace) for binding in store.list(_BINDINGS, namespace)]
    for binding, place in bindings:
        if any(_is(subject, user, place) for subject in binding.get("subjects") or ()):
            yield from _of_role(store, binding["roleRef"], place)


def _of_role(store: Store, ref: Json, namespace: str) -> list[Json]:
    """Bindings may name roles that are not there."""
    resource: Resource = _CLUSTER_ROLES if ref.get("kind") == "ClusterRole" else _ROLES
    try:
        return store.get(resource, namespace, ref["name"]).get("rules") or []
    except ApiError:
        return []


def _is(subject: Json, user: User, namespace: str) -> bool:
    name = subject.get("name", "")
    match subject.get("kind"):
        case "User":
            return bool(name == user.name)
        case "Group":
            return name in user.all_groups
        case "ServiceAccount":
            return user.name == f"{_ACCOUNT}:{subject.get('namespace') or namespace}:{name}"
    return False


def _covers(rule: Json, ask: Ask) -> bool:
    names = rule.get("resourceNames") or ()
    return (
        _listed(rule, "verbs", ask.verb)
        and _listed(rule, "apiGroups", ask.group)
        and (_listed(rule, "resources", ask.resource) or _any_with_subresource(rule, ask.resource))
        and (not names or ask.name in names)
    )


def _listed(rule: Json, field: str, wanted: str) -> bool:
    given = rule.get(field) or ()
    return "*" in given or wanted in given


def _any_with_subresource(rule: Json, resource: str) -> bool:
    _, _, subresource = resource.partition("/")
    return bool(subresource) and f"*/{subresource}" in (rule.get("resources") or ())
