"""Who may ask for what: 401 and 403 as kube-apiserver words them, and the reviews that answer beforehand."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.local.cluster.api import ApiServer, User
from bot.local.cluster.store import Store
from tests.local.cluster.api_objects import Http

ANA, BEN = {"Authorization": "Bearer a"}, {"Authorization": "Bearer b"}
REVIEWS = "/apis/authorization.k8s.io/v1/"


def readers_only(user: User, verb: str, group: str, resource: str, namespace: str) -> bool:
    """Admins may do everything, others read pods in one namespace."""
    if "admins" in user.groups:
        return True
    return (verb, group, resource, namespace) == ("list", "", "pods", "default")


@pytest.fixture
async def http(store: Store) -> AsyncIterator[Http]:
    tokens = {"a": User("ana", ("admins",)), "b": User("ben")}
    api = ApiServer(store, tokens=tokens, allow=readers_only)
    await api.start()
    async with aiohttp.ClientSession() as session:
        yield Http(session, api.url)
    await api.stop()


@pytest.mark.parametrize(
    ("headers", "method", "path", "status", "message"),
    [
        pytest.param({}, "GET", "/api/v1/pods", 401, "Unauthorized", id="no token"),
        pytest.param({"Authorization": "Bearer x"}, "GET", "/api/v1/pods", 401, "Unauthorized", id="an unknown token"),
        pytest.param(
            BEN,
            "GET",
            "/api/v1/pods",
            403,
            'pods is forbidden: User "ben" cannot list resource "pods" in API group "" at the cluster scope',
            id="a list of all namespaces",
        ),
        pytest.param(
            BEN,
            "GET",
            "/api/v1/namespaces/other/pods?watch=1",
            403,
            'pods is forbidden: User "ben" cannot watch resource "pods" in API group "" in the namespace "other"',
            id="a watch of a namespace",
        ),
        pytest.param(
            BEN,
            "GET",
            "/api/v1/namespaces/default/pods/p/log",
            403,
            'pods "p" is forbidden: User "ben" cannot get resource "pods/log" in API group "" in the namespace '
            '"default"',
            id="a subresource of a named object",
        ),
        pytest.param(
            BEN,
            "PATCH",
            "/apis/apps/v1/namespaces/default/deployments/web",
            403,
            'deployments.apps "web" is forbidden: User "ben" cannot patch resource "deployments" in API group "apps" '
            'in the namespace "default"',
            id="a resource of a named group",
        ),
    ],
)
async def test_refusals(http: Http, headers: dict[str, str], method: str, path: str, status: int, message: str) -> None:
    reply = await http(method, path, **headers)
    assert (reply.status, reply.body["code"], reply.body["message"]) == (status, status, message)
    assert reply.reason == {401: "Unauthorized", 403: "Forbidden"}[status]


async def test_what_is_allowed_is_answered(http: Http) -> None:
    assert (await http("GET", "/api/v1/namespaces/default/pods", **BEN)).status == 200
    assert (await http("GET", "/api/v1/pods", **ANA)).status == 200


def access(verb: str, resource: str, namespace: str) -> dict[str, object]:
    return {"resourceAttributes": {"verb": verb, "resource": resource, "namespace": namespace}}


@pytest.mark.parametrize(
    ("headers", "kind", "spec", "allowed"),
    [
        pytest.param(BEN, "selfsubjectaccessreviews", access("list", "pods", "default"), True, id="own, allowed"),
        pytest.param(BEN, "selfsubjectaccessreviews", access("delete", "pods", "default"), False, id="own, denied"),
        pytest.param(
            ANA, "subjectaccessreviews", {**access("list", "pods", ""), "user": "ben"}, False, id="another's, denied"
        ),
        pytest.param(
            ANA,
            "subjectaccessreviews",
            {**access("list", "pods", ""), "user": "cai", "groups": ["admins"]},
            True,
            id="another's, by group",
        ),
    ],
)
async def test_access_reviews_ask_the_same_judge(
    store: Store, headers: dict[str, str], kind: str, spec: dict[str, object], allowed: bool
) -> None:
    def judge(user: User, verb: str, group: str, resource: str, namespace: str) -> bool:
        return group == "authorization.k8s.io" or readers_only(user, verb, group, resource, namespace)

    api = ApiServer(store, tokens={"a": User("ana", ("admins",)), "b": User("ben")}, allow=judge)
    await api.start()
    async with aiohttp.ClientSession() as session:
        reply = await Http(session, api.url)("POST", REVIEWS + kind, {"spec": spec}, **headers)
    await api.stop()
    assert (reply.status, reply.body["status"]["allowed"]) == (201, allowed)


async def test_rules_and_identity_can_be_asked_for(http: Http) -> None:
    rules = await http("POST", REVIEWS + "selfsubjectrulesreviews", {"spec": {"namespace": "default"}}, **ANA)
    pods = next(rule for rule in rules.body["status"]["resourceRules"] if rule["resources"] == ["pods"])
    assert "watch" in pods["verbs"]
    who = await http("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, **ANA)
    assert who.body["status"]["userInfo"] == {"username": "ana", "groups": ["admins", "system:authenticated"]}
    token = await http("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": "b"}}, **ANA)
    assert token.body["status"]["user"]["username"] == "ben"
