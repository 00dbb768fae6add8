"""Stored roles and bindings decide once there are any, for the caller and for whoever the caller acts as."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from bot.local.cluster.api import ApiServer, User
from bot.local.cluster.store import RESOURCES, Store
from tests.local.cluster.api_objects import POD_PATH, Http

GROUP = "rbac.authorization.k8s.io"
BOT, ROOT = {"Authorization": "Bearer bot"}, {"Authorization": "Bearer root"}
REVIEW = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


def rule(verbs: str, resources: str, groups: str = "", **more: Any) -> dict[str, Any]:
    return {"verbs": verbs.split(), "apiGroups": groups.split() or [""], "resources": resources.split(), **more}


def bind(store: Store, name: str, *subjects: dict[str, Any], rules: list[dict[str, Any]], namespace: str = "") -> None:
    kind, plural = ("Role", "role") if namespace else ("ClusterRole", "clusterrole")
    store.create(RESOURCES[GROUP, plural + "s"], namespace, {"metadata": {"name": name}, "rules": rules})
    ref = {"apiGroup": GROUP, "kind": kind, "name": name}
    binding = {"metadata": {"name": name}, "subjects": list(subjects), "roleRef": ref}
    store.create(RESOURCES[GROUP, plural + "bindings"], namespace, binding)


def user(name: str) -> dict[str, Any]:
    return {"kind": "User", "name": name, "apiGroup": GROUP}


@pytest.fixture
def bound(store: Store) -> Store:
    impersonator = [rule("impersonate", "users", resourceNames=["ana"]), rule("create", "*", "authorization.k8s.io")]
    account = {"kind": "ServiceAccount", "name": "bot", "namespace": "other"}
    bind(store, "bot", account, rules=impersonator)
    scalers = {"kind": "Group", "name": "scalers", "apiGroup": GROUP}
    bind(store, "readers", user("ana"), rules=[rule("get list", "pods")], namespace="default")
    bind(store, "scalers", scalers, rules=[rule("patch", "*/scale", "apps")])
    return store


@pytest.fixture
async def http(store: Store) -> AsyncIterator[Http]:
    tokens = {"bot": User("system:serviceaccount:other:bot"), "root": User("root", ("system:masters",))}
    api = ApiServer(store, tokens=tokens)
    await api.start()
    async with aiohttp.ClientSession() as session:
        yield Http(session, api.url)
    await api.stop()


async def test_without_any_binding_everybody_may(http: Http) -> None:
    assert (await http("GET", POD_PATH, **BOT)).status == 200


@pytest.mark.parametrize(
    ("headers", "path", "status"),
    [
        pytest.param(BOT, POD_PATH, 403, id="a caller without a role"),
        pytest.param(ROOT, POD_PATH, 200, id="a superuser"),
        pytest.param({**BOT, "Impersonate-User": "ana"}, POD_PATH, 200, id="in the name of one who may"),
        pytest.param({**BOT, "Impersonate-User": "ana"}, POD_PATH.replace("default", "other"), 403, id="elsewhere"),
        pytest.param({**BOT, "Impersonate-User": "ben"}, POD_PATH, 403, id="in a name that may not be used"),
        pytest.param({**BOT, "Impersonate-Group": "scalers"}, POD_PATH, 400, id="a group without a user"),
        pytest.param(
            {**BOT, "Impersonate-User": "ana", "Impersonate-Group": "system:masters"}, POD_PATH, 403, id="more power"
        ),
    ],
)
async def test_roles_decide(http: Http, bound: Store, headers: dict[str, str], path: str, status: int) -> None:
    reply = await http("GET", path, **headers)
    assert reply.status == status, reply.body


async def test_who_may_not_act_for_somebody_is_told_so(http: Http, bound: Store) -> None:
    reply = await http("GET", POD_PATH, **BOT, **{"Impersonate-User": "ben"})
    assert reply.body["message"] == (
        'users "ben" is forbidden: User "system:serviceaccount:other:bot" cannot impersonate resource "users" '
        'in API group "" at the cluster scope'
    )


@pytest.mark.parametrize(
    ("who", "attributes", "allowed"),
    [
        pytest.param({"user": "ana"}, {"verb": "list", "resource": "pods", "namespace": "default"}, True, id="a role"),
        pytest.param({"user": "ana"}, {"verb": "list", "resource": "pods"}, False, id="in all namespaces"),
        pytest.param(
            {"user": "ben", "groups": ["scalers"]},
            {"verb": "patch", "group": "apps", "resource": "deployments", "subresource": "scale", "namespace": "a"},
            True,
            id="by group and wildcard",
        ),
        pytest.param(
            {"user": "ben", "groups": ["scalers"]},
            {"verb": "patch", "group": "apps", "resource": "deployments", "namespace": "a"},
            False,
            id="the object itself is another resource",
        ),
        pytest.param(
            {"user": "system:serviceaccount:other:bot"},
            {"verb": "impersonate", "resource": "users", "name": "ana"},
            True,
            id="a name that the rule lists",
        ),
        pytest.param(
            {"user": "system:serviceaccount:other:bot"},
            {"verb": "impersonate", "resource": "users", "name": "ben"},
            False,
            id="a name that it does not",
        ),
    ],
)
async def test_reviews_are_judged_by_the_same_roles(
    http: Http, bound: Store, who: dict[str, Any], attributes: dict[str, str], allowed: bool
) -> None:
    reply = await http("POST", REVIEW, {"spec": {**who, "resourceAttributes": attributes}}, **BOT)
    assert (reply.status, reply.body["status"]["allowed"]) == (201, allowed)
