"""How objects go: finalizers, grace, owners, namespaces, definitions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.local.cluster.store import ApiError, Resource, Store
from tests.local.cluster.api_objects import (
    CONFIG_MAPS,
    DEFINITIONS,
    DEPLOYMENTS,
    NAMESPACES,
    PODS,
    Json,
    definition,
    deployment,
    pod,
)


@pytest.fixture
def store() -> Store:
    made = Store(clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    made.create(NAMESPACES, "", {"metadata": {"name": "default"}})
    return made


def exists(store: Store, resource: Resource, name: str, namespace: str = "default") -> bool:
    return name in [obj["metadata"]["name"] for obj in store.list(resource, namespace if resource.namespaced else "")]


def owned_by(owner: Json) -> list[Json]:
    metadata = owner["metadata"]
    return [
        {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": metadata["name"], "uid": metadata["uid"]}
    ]


def test_a_pod_on_a_node_waits_for_its_kubelet(store: Store) -> None:
    store.create(PODS, "default", pod("p", node="gpu-0"))
    marked = store.delete(PODS, "default", "p")
    assert marked["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 30
    running = {**marked, "status": {"phase": "Running", "message": "stopping"}}
    store.update(PODS, "default", "p", running, subresource="status")
    assert exists(store, PODS, "p")
    store.delete(PODS, "default", "p", grace_seconds=0)
    assert not exists(store, PODS, "p")


@pytest.mark.parametrize(
    ("body", "options"),
    [
        pytest.param(pod("p"), {}, id="it has no node"),
        pytest.param({**pod("p", node="n"), "status": {"phase": "Succeeded"}}, {}, id="it is finished"),
        pytest.param(pod("p", node="n"), {"grace_seconds": 0}, id="it is forced"),
    ],
)
def test_a_pod_goes_at_once_when(store: Store, body: Json, options: Json) -> None:
    store.create(PODS, "default", body)
    store.delete(PODS, "default", "p", **options)
    assert not exists(store, PODS, "p")


def test_finalizers_hold_an_object_until_the_last_is_taken_away(store: Store) -> None:
    made = store.create(CONFIG_MAPS, "default", {"metadata": {"name": "c", "finalizers": ["a", "b"]}})
    store.delete(CONFIG_MAPS, "default", "c")
    for left in (["b"], []):
        assert exists(store, CONFIG_MAPS, "c")
        body = {**made, "metadata": {"name": "c", "finalizers": left}}
        store.update(CONFIG_MAPS, "default", "c", body)
    assert not exists(store, CONFIG_MAPS, "c")


def test_dependents_go_with_their_owner_but_not_with_one_of_two(store: Store) -> None:
    first, second = (store.create(DEPLOYMENTS, "default", deployment(name)) for name in ("a", "b"))
    store.create(PODS, "default", pod("of-a", ownerReferences=owned_by(first)))
    store.create(PODS, "default", pod("of-both", ownerReferences=[*owned_by(first), *owned_by(second)]))
    assert {ref.name for ref in store.children(first["metadata"]["uid"])} == {"of-a", "of-both"}
    store.delete(DEPLOYMENTS, "default", "a")
    assert not exists(store, PODS, "of-a")
    assert store.get(PODS, "default", "of-both")["metadata"]["ownerReferences"] == owned_by(second)


def test_orphans_stay_without_their_owner(store: Store) -> None:
    owner = store.create(DEPLOYMENTS, "default", deployment("a"))
    store.create(PODS, "default", pod("p", ownerReferences=owned_by(owner)))
    store.delete(DEPLOYMENTS, "default", "a", propagation="Orphan")
    assert store.get(PODS, "default", "p")["metadata"]["ownerReferences"] == []


def test_in_the_foreground_the_owner_waits_for_its_dependents(store: Store) -> None:
    owner = store.create(DEPLOYMENTS, "default", deployment("a"))
    store.create(PODS, "default", pod("p", node="gpu-0", ownerReferences=owned_by(owner)))
    store.delete(DEPLOYMENTS, "default", "a", propagation="Foreground")
    assert store.get(DEPLOYMENTS, "default", "a")["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert store.get(PODS, "default", "p")["metadata"]["deletionTimestamp"]
    store.delete(PODS, "default", "p", grace_seconds=0)
    assert not exists(store, DEPLOYMENTS, "a")


def test_a_namespace_takes_its_content_along_and_admits_nothing_meanwhile(store: Store) -> None:
    store.create(NAMESPACES, "", {"metadata": {"name": "n"}})
    store.create(CONFIG_MAPS, "n", {"metadata": {"name": "c"}})
    store.create(PODS, "n", pod("p", node="gpu-0"))
    store.delete(NAMESPACES, "", "n")
    assert store.get(NAMESPACES, "", "n")["status"]["phase"] == "Terminating"
    assert not exists(store, CONFIG_MAPS, "c", "n")
    with pytest.raises(ApiError, match="because it is being terminated"):
        store.create(CONFIG_MAPS, "n", {"metadata": {"name": "d"}})
    store.delete(PODS, "n", "p", grace_seconds=0)
    assert not exists(store, NAMESPACES, "n")


def test_an_empty_namespace_goes_at_once(store: Store) -> None:
    store.create(NAMESPACES, "", {"metadata": {"name": "n"}})
    store.delete(NAMESPACES, "", "n")
    assert not exists(store, NAMESPACES, "n")


@pytest.mark.parametrize("field", ["uid", "resourceVersion"])
def test_a_precondition_that_does_not_hold_keeps_the_object(store: Store, field: str) -> None:
    store.create(CONFIG_MAPS, "default", {"metadata": {"name": "c"}})
    with pytest.raises(ApiError) as refused:
        store.delete(CONFIG_MAPS, "default", "c", preconditions={field: "other"})
    assert (refused.value.code, exists(store, CONFIG_MAPS, "c")) == (409, True)


def test_a_definition_takes_its_objects_along(store: Store) -> None:
    store.create(DEFINITIONS, "", definition())
    kind = store.resources["ml.example.com", "trainjobs"]
    store.create(kind, "default", {"metadata": {"name": "t"}, "spec": {}})
    gone: list[str] = []
    store.subscribe(lambda change: gone.append(f"{change.type} {change.resource.kind}"))
    store.delete(DEFINITIONS, "", "trainjobs.ml.example.com")
    assert sorted(gone) == ["DELETED CustomResourceDefinition", "DELETED TrainJob"]
    assert kind.key not in store.resources
