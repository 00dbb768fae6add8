"""Server-side apply and managedFields: who owns what, and what happens to it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.local.cluster.store import ApiError, Store
from bot.local.cluster.store.fieldsets import difference, fields_of, minus, shared, spell, union
from bot.local.cluster.store.listkeys import BUILT_IN
from tests.local.cluster.api_objects import CONFIG_MAPS, DEPLOYMENTS, Json, deployment


def managers(obj: Json) -> dict[str, Any]:
    return {f"{e['manager']} {e['operation']}": e["fieldsV1"] for e in obj["metadata"].get("managedFields", [])}


def config(**data: str) -> Json:
    return {"metadata": {"name": "c"}, "data": data}


def test_an_apply_owns_only_what_it_said(store: Store) -> None:
    made, created = store.apply(DEPLOYMENTS, "default", "web", deployment("web"), manager="gitops")
    fields = managers(made)["gitops Apply"]
    assert created
    assert set(fields["f:spec"]) == {"f:replicas", "f:selector", "f:template"}


def test_what_a_manager_no_longer_says_is_removed(store: Store) -> None:
    store.apply(CONFIG_MAPS, "default", "c", config(a="1", b="2"), manager="m")
    after, _ = store.apply(CONFIG_MAPS, "default", "c", config(a="1"), manager="m")
    assert after["data"] == {"a": "1"}


def test_what_another_manager_says_too_stays(store: Store) -> None:
    store.apply(CONFIG_MAPS, "default", "c", config(a="1", b="2"), manager="m")
    store.apply(CONFIG_MAPS, "default", "c", config(b="2"), manager="n")
    after, _ = store.apply(CONFIG_MAPS, "default", "c", config(a="1"), manager="m")
    assert after["data"] == {"a": "1", "b": "2"}
    assert managers(after)["n Apply"] == {"f:data": {"f:b": {}}}


def test_list_items_come_and_go_by_their_key(store: Store) -> None:
    body = deployment("web")
    store.apply(DEPLOYMENTS, "default", "web", body, manager="m")
    side = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "s:1"}]}}}}
    both, _ = store.apply(DEPLOYMENTS, "default", "web", side, manager="sidecar")
    assert [c["name"] for c in both["spec"]["template"]["spec"]["containers"]] == ["main", "side"]
    empty: Json = {"metadata": {"labels": {"x": "y"}}}
    one, _ = store.apply(DEPLOYMENTS, "default", "web", empty, manager="sidecar")
    assert [c["name"] for c in one["spec"]["template"]["spec"]["containers"]] == ["main"]


def test_conflicts_name_manager_subresource_and_every_field(store: Store) -> None:
    made, _ = store.apply(DEPLOYMENTS, "default", "web", deployment("web", 1), manager="gitops")
    scaled = {**made, "spec": {**made["spec"], "replicas": 5}}
    store.update(DEPLOYMENTS, "default", "web", scaled, subresource="scale", manager="kubectl")
    with pytest.raises(ApiError) as refused:
        store.apply(DEPLOYMENTS, "default", "web", deployment("web", 1), manager="gitops")
    told = 'conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas'
    assert refused.value.message == f"Apply failed with 1 conflict: {told}"
    assert [cause["field"] for cause in refused.value.details["causes"]] == [".spec.replicas"]
    forced, _ = store.apply(DEPLOYMENTS, "default", "web", deployment("web", 1), manager="gitops", force=True)
    assert forced["spec"]["replicas"] == 1
    assert "kubectl Update" not in managers(forced)


def test_the_same_value_is_shared_without_conflict(store: Store) -> None:
    store.apply(CONFIG_MAPS, "default", "c", config(a="1"), manager="m")
    after, _ = store.apply(CONFIG_MAPS, "default", "c", config(a="1"), manager="n")
    assert set(managers(after)) == {"m Apply", "n Apply"}


def test_applying_the_same_again_makes_no_version(store: Store) -> None:
    store.apply(CONFIG_MAPS, "default", "c", config(a="1"), manager="m")
    version = store.version
    store.apply(CONFIG_MAPS, "default", "c", config(a="1"), manager="m")
    assert store.version == version


def test_an_update_takes_what_it_changes_and_nothing_else(store: Store) -> None:
    made = store.create(CONFIG_MAPS, "default", config(a="1", b="2"), manager="m")
    after = store.update(CONFIG_MAPS, "default", "c", {**made, "data": {"a": "9", "d": "4"}}, manager="n")
    assert "m Update" not in managers(after)
    assert managers(after)["n Update"] == {"f:data": {"f:a": {}, "f:d": {}}}


def test_a_dry_apply_stores_nothing(store: Store) -> None:
    version = store.version
    store.apply(CONFIG_MAPS, "default", "c", config(a="1"), manager="m", dry_run=True)
    assert store.version == version


PORTS = {"spec": {"ports": [{"port": 80}], "selector": {"a": "b"}}}


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        pytest.param({"a": 1, "b": {}}, {"f:a": {}, "f:b": {}}, id="fields, an empty object being one"),
        pytest.param({"args": ["x"]}, {"f:args": {}}, id="a list without a key is one field"),
        pytest.param({"finalizers": ["x"]}, {"f:finalizers": {'v:"x"': {}}}, id="a set's values"),
        pytest.param(
            {"env": [{"name": "A", "value": "1"}]},
            {"f:env": {'k:{"name":"A"}': {".": {}, "f:name": {}, "f:value": {}}}},
            id="items by their key",
        ),
        pytest.param(
            PORTS,
            {"f:spec": {"f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}}}, "f:selector": {}}},
            id="two keys, one by default, and an object owned as a whole",
        ),
    ],
)
def test_field_sets(value: Json, fields: Json) -> None:
    assert fields_of(value, BUILT_IN) == fields


def test_set_operations() -> None:
    left, right = {"f:a": {"f:x": {}, "f:y": {}}, "f:b": {}}, {"f:a": {"f:y": {}}, "f:c": {}}
    assert union(left, right) == {"f:a": {"f:x": {}, "f:y": {}}, "f:b": {}, "f:c": {}}
    assert minus(left, right) == {"f:a": {"f:x": {}}, "f:b": {}}
    assert shared(left, right) == {"f:a": {"f:y": {}}}
    assert minus(left, {"f:a": {}}) == {"f:b": {}}
    assert shared({"f:a": {}}, left) == {"f:a": {"f:x": {}, "f:y": {}}}


@pytest.mark.parametrize(
    ("old", "new", "changed", "removed"),
    [
        pytest.param({"a": 1}, {"a": 2}, {"f:a": {}}, {}, id="changed"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, {"f:a": {"f:c": {}}}, {}, id="added"),
        pytest.param({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {}, {"f:a": {"f:c": {}}}, id="removed"),
        pytest.param({"args": [1]}, {"args": [2]}, {"f:args": {}}, {}, id="a whole list"),
        pytest.param({"a": 1}, {"a": 1}, {}, {}, id="nothing"),
    ],
)
def test_differences(old: Json, new: Json, changed: Json, removed: Json) -> None:
    assert difference(old, new, BUILT_IN) == (changed, removed)


def test_paths_are_spelt_as_people_read_them() -> None:
    path = ("f:spec", "f:containers", 'k:{"name":"main"}', "f:image")
    assert spell(path) == '.spec.containers[name="main"].image'
