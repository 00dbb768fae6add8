"""What a careful client of a change relies on: another object of the same name is refused, and dry runs change nothing.

Statuses and words are those that kube-apiserver 1.36 gave.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.local.cluster.store import Store
from tests.local.cluster.api_objects import BUDGETS, DEPLOYMENT_PATH, DEPLOYMENTS, POD_PATH, PODS, Http, deployment, pod

OTHER = "00000000-0000-0000-0000-000000000001"
MERGE = {"Content-Type": "application/merge-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}


@pytest.fixture(autouse=True)
def web(store: Store) -> None:
    store.create(DEPLOYMENTS, "default", deployment("web"))


def wish(uid: str) -> dict[str, Any]:
    kind = {"apiVersion": "apps/v1", "kind": "Deployment"}
    return {**kind, "metadata": {"name": "web", "uid": uid}, "spec": {"paused": True}}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        pytest.param("PATCH", "/web", MERGE, 422, id="a patch finds the uid immutable"),
        pytest.param("PATCH", "/web?fieldManager=a", APPLY, 422, id="so does an apply"),
        pytest.param("PUT", "/web", {}, 409, id="for a replacement it is a precondition"),
    ],
)
async def test_another_uid_is_refused(
    http: Http, store: Store, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    before = store.get(DEPLOYMENTS, "default", "web")
    body = {**before, "metadata": {**before["metadata"], "uid": OTHER}} if method == "PUT" else wish(OTHER)
    reply = await http(method, DEPLOYMENT_PATH + path, body, **headers)
    assert reply.status == status, reply.body
    assert OTHER in reply.body["message"]
    assert store.get(DEPLOYMENTS, "default", "web") == before


async def test_a_scale_with_another_uid_is_a_conflict(http: Http) -> None:
    body = {"metadata": {"uid": OTHER}, "spec": {"replicas": 5}}
    reply = await http("PATCH", f"{DEPLOYMENT_PATH}/web/scale", body, **MERGE)
    assert (reply.status, "Precondition failed: UID in precondition" in reply.body["message"]) == (409, True)


async def test_an_apply_with_a_uid_makes_nothing_new(http: Http) -> None:
    body = {**wish(OTHER), "metadata": {"name": "gone", "uid": OTHER}}
    reply = await http("PATCH", f"{DEPLOYMENT_PATH}/gone?fieldManager=a", body, **APPLY)
    assert (reply.status, "no existing object was found" in reply.body["message"]) == (409, True)


async def test_a_deletion_with_a_body_does_not_look_at_the_parameters(http: Http) -> None:
    body = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
    assert (await http("DELETE", f"{DEPLOYMENT_PATH}/web?dryRun=All")).status == 200
    assert (await http("GET", f"{DEPLOYMENT_PATH}/web")).status == 200
    assert (await http("DELETE", f"{DEPLOYMENT_PATH}/web?dryRun=All", body)).status == 200
    assert (await http("GET", f"{DEPLOYMENT_PATH}/web")).status == 404


def budgets(store: Store, *names: str, allowed: int = 1) -> None:
    for name in names:
        spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}
        status = {"disruptionsAllowed": allowed, "desiredHealthy": 1, "currentHealthy": 1 + allowed}
        store.create(BUDGETS, "default", {"metadata": {"name": name}, "spec": spec, "status": status})


async def evict(http: Http, name: str, query: str = "") -> int:
    return (await http("POST", f"{POD_PATH}/{name}/eviction{query}", {})).status


async def test_an_eviction_takes_from_the_budget_and_its_dry_run_does_not(http: Http, store: Store) -> None:
    for name in ("p1", "p2"):
        store.create(PODS, "default", pod(name, {"app": "a"}, "gpu-0"))
    budgets(store, "b")
    assert await evict(http, "p1", "?dryRun=All") == 201
    assert await evict(http, "p1") == 201
    assert await evict(http, "p2") == 429
    assert (await http("GET", POD_PATH)).names == ["p2"]


async def test_two_budgets_over_one_pod_are_an_error(http: Http, store: Store) -> None:
    store.create(PODS, "default", pod("p1", {"app": "a"}, "gpu-0"))
    budgets(store, "b", "c")
    assert await evict(http, "p1") == 500


async def test_a_pod_that_never_started_is_in_nobodys_budget(http: Http, store: Store) -> None:
    store.create(PODS, "default", pod("p1", {"app": "a"}))
    budgets(store, "b", allowed=0)
    assert await evict(http, "p1") == 201


async def test_every_answer_has_an_audit_id_of_its_own(http: Http) -> None:
    ids = {(await http("GET", path)).headers["Audit-Id"] for path in (POD_PATH, POD_PATH, POD_PATH + "/none")}
    assert len(ids) == 3


async def test_the_manager_of_a_change_is_recorded(http: Http, store: Store) -> None:
    await http("PATCH", f"{DEPLOYMENT_PATH}/web/scale?fieldManager=gpubot", {"spec": {"replicas": 7}}, **MERGE)
    entries = store.get(DEPLOYMENTS, "default", "web")["metadata"]["managedFields"]
    assert [json.dumps(e["fieldsV1"]) for e in entries if e["manager"] == "gpubot"] == [
        '{"f:spec": {"f:replicas": {}}}'
    ]
