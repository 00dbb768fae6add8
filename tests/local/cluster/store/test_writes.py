"""Writes: identity, versions, generations, defaults, what is refused, and who is told."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from bot.local.cluster.store import RESOURCES, ApiError, Change, Store
from tests.local.cluster.api_objects import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
    NODES,
    PODS,
    REPLICA_SETS,
    Json,
    deployment,
    node,
    pod,
)

PRIORITIES = RESOURCES["scheduling.k8s.io", "priorityclasses"]


def fresh(**options: Any) -> Store:
    store = Store(clock=lambda: datetime(2026, 1, 1, tzinfo=UTC), **options)
    store.create(NAMESPACES, "", {"metadata": {"name": "default"}})
    return store


def test_the_same_seed_gives_the_same_identities() -> None:
    first, second = (fresh(seed=7).create(PODS, "default", pod("p"))["metadata"] for _ in range(2))
    assert first == second
    assert fresh(seed=8).create(PODS, "default", pod("p"))["metadata"]["uid"] != first["uid"]


def test_filling_in_defaults_leaves_the_callers_object_and_a_shared_template_alone(store: Store) -> None:
    made = store.create(DEPLOYMENTS, "default", deployment("web"))
    template = made["spec"]["template"]
    before = copy.deepcopy(made)
    replica_set: Json = {"metadata": {"name": "rs"}, "spec": {"selector": made["spec"]["selector"]}}
    replica_set["spec"] |= {"template": template}
    given = copy.deepcopy(replica_set)
    child = store.create(REPLICA_SETS, "default", replica_set)
    child["spec"]["template"]["metadata"]["labels"]["pod-template-hash"] = "x"
    bare = {"metadata": {"name": "p", "labels": {"app": "web"}}, "spec": template["spec"]}
    store.create(PODS, "default", bare)
    assert replica_set == given
    assert store.get(DEPLOYMENTS, "default", "web") == before


def test_filling_in_defaults_on_an_update_leaves_the_stored_status_alone(store: Store) -> None:
    body = {**pod("p", namespace="default"), "status": {"message": "loaded without a phase"}}
    store.load_encoded(PODS, [msgspec.json.encode(body)])
    old = store.get(PODS, "default", "p")
    before = copy.deepcopy(old)
    labelled = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}
    updated = store.update(PODS, "default", "p", labelled)
    assert old == before
    assert updated["status"] == before["status"]


def test_a_replacement_that_leaves_defaults_out_gets_them_back_and_is_no_change(store: Store) -> None:
    made = store.create(DEPLOYMENTS, "default", deployment("web"))
    assert store.update(DEPLOYMENTS, "default", "web", deployment("web"))["spec"] == made["spec"]
    assert store.get(DEPLOYMENTS, "default", "web")["metadata"]["generation"] == 1


def test_five_thousand_generated_names_are_all_different(store: Store) -> None:
    body = {"metadata": {"generateName": "web-"}, "data": {}}
    made = {store.create(CONFIG_MAPS, "default", body)["metadata"]["name"] for _ in range(5000)}
    assert len(made) == 5000


def test_a_generated_name_that_is_taken_is_drawn_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    suffixes = iter(["aaaaa", "aaaaa", "bbbbb"])
    monkeypatch.setattr(store.state.names, "suffix", lambda: next(suffixes))
    body = {"metadata": {"generateName": "p-"}}
    made = [store.create(CONFIG_MAPS, "default", body)["metadata"]["name"] for _ in range(2)]
    assert made == ["p-aaaaa", "p-bbbbb"]


def test_names_that_are_all_taken_are_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.state.names, "suffix", lambda: "aaaaa")
    store.create(CONFIG_MAPS, "default", {"metadata": {"generateName": "p-"}})
    with pytest.raises(ApiError, match="already exists"):
        store.create(CONFIG_MAPS, "default", {"metadata": {"generateName": "p-"}})


def test_the_generation_counts_changes_of_the_spec_only(store: Store) -> None:
    made = store.create(DEPLOYMENTS, "default", deployment("web", 1))
    labelled = {**made, "metadata": {**made["metadata"], "labels": {"a": "b"}, "resourceVersion": ""}}
    generations = [store.update(DEPLOYMENTS, "default", "web", labelled)["metadata"]["generation"]]
    status = {**made, "metadata": {"name": "web"}, "status": {"replicas": 1}}
    told = store.update(DEPLOYMENTS, "default", "web", status, subresource="status")
    generations.append(told["metadata"]["generation"])
    scaled = {**made, "metadata": {"name": "web"}, "spec": {**made["spec"], "replicas": 2}}
    generations.append(store.update(DEPLOYMENTS, "default", "web", scaled)["metadata"]["generation"])
    assert generations == [1, 1, 2]


def test_a_write_that_changes_nothing_makes_no_version(store: Store) -> None:
    made = store.create(DEPLOYMENTS, "default", deployment("web"))
    version = store.version
    assert store.update(DEPLOYMENTS, "default", "web", made) == made
    assert store.version == version


def test_what_the_server_decides_cannot_be_written(store: Store) -> None:
    made = store.create(CONFIG_MAPS, "default", {"metadata": {"name": "c"}})
    forged = {"metadata": {"name": "c", "creationTimestamp": "1999-01-01T00:00:00Z", "deletionTimestamp": "x"}}
    updated = store.update(CONFIG_MAPS, "default", "c", {**forged, "data": {"a": "b"}})
    assert updated["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]
    assert "deletionTimestamp" not in updated["metadata"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"selector": {"matchLabels": {"app": "no"}}}, "does not match template `labels`", id="selector"),
        pytest.param({"selector": {}}, "spec.selector: Required value", id="an empty selector"),
        pytest.param({"replicas": -1}, "must be greater than or equal to 0", id="negative replicas"),
        pytest.param(
            {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {}}},
            "spec.template.spec.containers: Required value",
            id="no containers",
        ),
    ],
)
def test_contradictory_workloads_are_refused(store: Store, change: Json, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        store.create(DEPLOYMENTS, "default", deployment("web", **change) if "replicas" not in change else _negative())
    assert refused.value.code == 422
    assert message in refused.value.message


def _negative() -> Json:
    return deployment("web", -1)


def test_a_selector_cannot_change(store: Store) -> None:
    made = store.create(DEPLOYMENTS, "default", deployment("web"))
    spec = {**deployment("other")["spec"]}
    with pytest.raises(ApiError, match="field is immutable"):
        store.update(DEPLOYMENTS, "default", "web", {**made, "spec": spec})


def test_a_pod_gets_what_the_api_fills_in(store: Store) -> None:
    spec = store.create(PODS, "default", pod("p"))["spec"]
    assert (spec["restartPolicy"], spec["schedulerName"], spec["priority"]) == ("Always", "default-scheduler", 0)
    assert spec["containers"][0]["resources"]["requests"] == {"nvidia.com/gpu": "1"}
    assert [t["key"].partition("/")[2] for t in spec["tolerations"]] == ["not-ready", "unreachable"]


@pytest.mark.parametrize(
    ("resources", "quality"),
    [
        pytest.param({}, "BestEffort", id="nothing asked"),
        pytest.param({"limits": {"nvidia.com/gpu": "1"}}, "BestEffort", id="GPUs alone do not count"),
        pytest.param({"requests": {"cpu": "1"}}, "Burstable", id="requests only"),
        pytest.param({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed", id="limits, which requests follow"),
    ],
)
def test_quality_of_service(store: Store, resources: Json, quality: str) -> None:
    body = pod("p")
    body["spec"]["containers"] = [{"name": "c", "image": "x", "resources": resources}]
    assert store.create(PODS, "default", body)["status"]["qosClass"] == quality


def test_priority_comes_from_the_class_or_the_default_class(store: Store) -> None:
    store.create(PRIORITIES, "", {"metadata": {"name": "low"}, "value": 5, "globalDefault": True})
    store.create(PRIORITIES, "", {"metadata": {"name": "high"}, "value": 900, "preemptionPolicy": "Never"})
    plain, urgent, system = pod("a"), pod("b"), pod("c")
    urgent["spec"]["priorityClassName"] = "high"
    system["spec"]["priorityClassName"] = "system-node-critical"
    specs = [store.create(PODS, "default", body)["spec"] for body in (plain, urgent, system)]
    assert [spec["priority"] for spec in specs] == [5, 900, 2_000_001_000]
    assert (specs[0]["priorityClassName"], specs[1]["preemptionPolicy"]) == ("low", "Never")
    unknown = pod("d")
    unknown["spec"]["priorityClassName"] = "none"
    with pytest.raises(ApiError, match="no PriorityClass with name none was found"):
        store.create(PODS, "default", unknown)


def test_subscribers_are_told_in_order_even_when_one_of_them_writes(store: Store) -> None:
    heard: list[int] = []

    def writes(change: Change) -> None:
        if change.type == "ADDED":
            obj = {**change.new, "data": {"seen": "yes"}}
            store.update(CONFIG_MAPS, "default", change.new["metadata"]["name"], obj)

    store.subscribe(writes)
    unsubscribe = store.subscribe(lambda change: heard.append(change.version))
    store.create(CONFIG_MAPS, "default", {"metadata": {"name": "c"}})
    unsubscribe()
    store.create(CONFIG_MAPS, "default", {"metadata": {"name": "d"}})
    assert heard == sorted(heard)
    assert len(heard) == 2


def test_a_change_carries_the_state_before_and_the_bytes_after(store: Store) -> None:
    made = store.create(CONFIG_MAPS, "default", {"metadata": {"name": "c"}})
    changes: list[Change] = []
    store.subscribe(changes.append)
    store.update(CONFIG_MAPS, "default", "c", {**made, "data": {"a": "b"}})
    (change,) = changes
    assert (change.type, change.old, msgspec.json.decode(change.encoded)) == ("MODIFIED", made, change.new)


def test_the_history_forgets_its_oldest_writes() -> None:
    small = fresh(history=3)
    versions = [
        int(small.create(CONFIG_MAPS, "default", {"metadata": {"generateName": "c-"}})["metadata"]["resourceVersion"])
        for _ in range(5)
    ]
    assert [past.version for past in small.state.history.since(versions[1], CONFIG_MAPS)] == versions[2:]
    with pytest.raises(ApiError) as refused:
        small.state.history.since(versions[0], CONFIG_MAPS)
    assert refused.value.code == 410


def test_encoded_objects_load_as_if_they_had_always_been_there(store: Store) -> None:
    owner = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "owner"}
    known = pod(
        "known", {"a": "b"}, "gpu-0", namespace="default", uid="u", resourceVersion="5000", ownerReferences=[owner]
    )
    bare = {"metadata": {"name": "bare", "namespace": "default"}, "spec": {"containers": []}}
    told: list[Change] = []
    store.subscribe(told.append)
    nameless = {key: value for key, value in known.items() if key not in ("kind", "apiVersion")}
    assert store.load_encoded(PODS, [msgspec.json.encode(nameless), msgspec.json.encode(bare)]) == 2
    assert told == []
    assert [p["metadata"]["name"] for p in store.list(PODS, "default")] == ["bare", "known"]
    assert store.get(PODS, "default", "known")["kind"] == "Pod"
    assert store.get(PODS, "default", "bare")["metadata"]["uid"]
    assert {ref.name for ref in store.children("owner")} == {"known"}
    assert store.entry(PODS, "default", "known").facets.fields[2] == "gpu-0"
    assert store.version >= 5000


def test_objects_that_leave_memory_decode_to_the_same(store: Store) -> None:
    store.state._decoded._budget_bytes = 0
    made = store.create(NODES, "", node("n"))
    assert store.get(NODES, "", "n") == made
    updated = store.update(NODES, "", "n", {**made, "spec": {"unschedulable": True}})
    assert store.get(NODES, "", "n") == updated
