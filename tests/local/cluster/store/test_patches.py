"""Merge patch, JSON patch and strategic merge patch, each by its own document's examples."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.local.cluster.store import ApiError
from bot.local.cluster.store.jsonpatch import json_patch
from bot.local.cluster.store.merge import merge_patch
from bot.local.cluster.store.strategic import strategic_merge


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_examples_of_rfc_7386(target: Any, patch: Any, result: Any) -> None:
    assert merge_patch(target, patch) == result


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)


@given(JSON, JSON)
def test_merging_twice_is_merging_once_and_changes_no_argument(target: Any, patch: Any) -> None:
    before = copy.deepcopy((target, patch))
    once = merge_patch(target, patch)
    assert merge_patch(once, patch) == once
    assert (target, patch) == before


@given(JSON)
def test_an_empty_merge_patch_changes_no_object(target: Any) -> None:
    assert merge_patch(target, {}) == (target if isinstance(target, dict) else {})


@pytest.mark.parametrize(
    ("operations", "result"),
    [
        pytest.param([{"op": "add", "path": "/b", "value": 1}], {"a": [1, 2], "b": 1}, id="add a field"),
        pytest.param([{"op": "add", "path": "/a/-", "value": 3}], {"a": [1, 2, 3]}, id="append to a list"),
        pytest.param([{"op": "add", "path": "/a/1", "value": 9}], {"a": [1, 9, 2]}, id="insert into a list"),
        pytest.param([{"op": "remove", "path": "/a/0"}], {"a": [2]}, id="remove an item"),
        pytest.param([{"op": "replace", "path": "/a", "value": 0}], {"a": 0}, id="replace a field"),
        pytest.param([{"op": "move", "from": "/a", "path": "/b"}], {"b": [1, 2]}, id="move"),
        pytest.param([{"op": "copy", "from": "/a/0", "path": "/b"}], {"a": [1, 2], "b": 1}, id="copy"),
        pytest.param([{"op": "test", "path": "/a/0", "value": 1}], {"a": [1, 2]}, id="a test that holds"),
        pytest.param([{"op": "replace", "path": "", "value": {"c": 1}}], {"c": 1}, id="replace the whole"),
        pytest.param([{"op": "add", "path": "/x~1y~0z", "value": 1}], {"a": [1, 2], "x/y~z": 1}, id="escaped names"),
    ],
)
def test_json_patch(operations: list[Any], result: Any) -> None:
    target = {"a": [1, 2]}
    assert json_patch(target, operations) == result
    assert target == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("operations", "code"),
    [
        pytest.param([{"op": "test", "path": "/a/0", "value": 2}], 422, id="a test that fails"),
        pytest.param([{"op": "remove", "path": "/none"}], 422, id="a field that is not there"),
        pytest.param([{"op": "replace", "path": "/a/7", "value": 1}], 422, id="an item that is not there"),
        pytest.param([{"op": "add", "path": "/a/0/b", "value": 1}], 422, id="a field of a number"),
        pytest.param([{"op": "add", "path": "a", "value": 1}], 422, id="a path without its slash"),
        pytest.param([{"op": "add", "path": "/b"}], 422, id="no value"),
        pytest.param([{"op": "grow", "path": "/a"}], 400, id="an unknown operation"),
        pytest.param({"op": "add"}, 400, id="no list"),
    ],
)
def test_json_patches_that_do_not_apply_are_refused(operations: Any, code: int) -> None:
    with pytest.raises(ApiError) as refused:
        json_patch({"a": [1, 2]}, operations)
    assert refused.value.code == code


def containers(*names: str) -> dict[str, Any]:
    return {"containers": [{"name": name, "image": f"{name}:1"} for name in names]}


def names(obj: Any) -> list[str]:
    return [container["name"] for container in obj["containers"]]


@pytest.mark.parametrize(
    ("patch", "left"),
    [
        pytest.param({"containers": [{"name": "b", "image": "new"}]}, ["a", "b", "c"], id="merges an item in place"),
        pytest.param({"containers": [{"name": "d"}]}, ["a", "b", "c", "d"], id="appends a new item"),
        pytest.param({"containers": [{"name": "b", "$patch": "delete"}]}, ["a", "c"], id="deletes an item"),
        pytest.param({"containers": [{"$patch": "replace"}, {"name": "z"}]}, ["z"], id="replaces the list"),
        pytest.param(
            {
                "$setElementOrder/containers": [{"name": "c"}, {"name": "d"}, {"name": "a"}],
                "containers": [{"name": "d"}],
            },
            ["c", "b", "d", "a"],
            id="orders the items it names and leaves the others in their place",
        ),
    ],
)
def test_strategic_lists(patch: dict[str, Any], left: list[str]) -> None:
    assert names(strategic_merge(containers("a", "b", "c"), patch)) == left


def test_a_strategic_patch_of_an_item_keeps_its_other_fields() -> None:
    merged = strategic_merge(containers("a"), {"containers": [{"name": "a", "command": ["x"]}]})
    assert merged["containers"] == [{"name": "a", "image": "a:1", "command": ["x"]}]


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        pytest.param({"a": {"x": 1}}, {"a": {"$patch": "replace", "y": 2}}, {"a": {"y": 2}}, id="replaces an object"),
        pytest.param({"a": {"x": 1}, "b": 2}, {"a": {"$patch": "delete"}}, {"b": 2}, id="deletes an object"),
        pytest.param({"x": 1, "y": 2}, {"$retainKeys": ["y", "z"], "z": 3}, {"y": 2, "z": 3}, id="retains keys"),
        pytest.param(
            {"finalizers": ["a", "b"]}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"finalizers": ["b"]},
            id="deletes from a list of values",
        ),
        pytest.param({"finalizers": ["a"]}, {"finalizers": ["a", "b"]}, {"finalizers": ["a", "b"]}, id="unites sets"),
        pytest.param({"args": ["a"]}, {"args": ["b"]}, {"args": ["b"]}, id="replaces a list without a key"),
        pytest.param({"tolerations": [{"key": "a"}]}, {"tolerations": []}, {"tolerations": []}, id="empties a list"),
        pytest.param({"a": 1}, {"a": None}, {}, id="null deletes"),
    ],
)  # fmt: skip
def test_strategic_directives(target: Any, patch: Any, result: Any) -> None:
    assert strategic_merge(target, patch) == result


@pytest.mark.parametrize(
    ("around", "key"),
    [pytest.param("containers", "containerPort", id="a container's"), pytest.param("spec", "port", id="a service's")],
)
def test_ports_merge_by_the_key_of_their_kind(around: str, key: str) -> None:
    ports = [{key: 80, "name": "http"}, {key: 90, "name": "metrics"}]
    old: Any = {"ports": ports}
    change: Any = {"ports": [{key: 90, "name": "renamed"}]}
    if around == "containers":
        old, change = [{"name": "c", **old}], [{"name": "c", **change}]
    merged = strategic_merge({around: old}, {around: change})[around]
    merged = merged[0] if isinstance(merged, list) else merged
    assert [port["name"] for port in merged["ports"]] == ["http", "renamed"]


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"$patch": "merge-ish"}, id="an unknown directive"),
        pytest.param({"containers": [{"image": "x"}]}, id="an item without its key"),
    ],
)
def test_strategic_patches_that_make_no_sense_are_refused(patch: Any) -> None:
    with pytest.raises(ApiError) as refused:
        strategic_merge(containers("a"), patch)
    assert refused.value.code == 400
