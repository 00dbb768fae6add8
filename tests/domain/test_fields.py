"""Fields read anything without trust: what is missing or of another type is not there, and is noted."""

from typing import Any

import pytest

from bot.domain.fields import ODD_KEPT, Fields

OBJECT = {
    "spec": {
        "replicas": 3,
        "written": "4",
        "whole": 5.0,
        "half": 1.5,
        "far": "9" * 25,
        "arabic": "٣",
        "negative": "-2",
        "paused": True,
        "name": "glm",
        "list": [{"a": 1}, "b", None, 3],
        "texts": ["a", 1, "b", None],
        "map": {"cpu": "1", "gpu": 8, "half": 0.5, "flag": True, "list": [], "none": None},
        "none": None,
    },
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": 3}, "x", {"type": "Ready", "status": "2"}]},
}

READ = [
    ("get", ("spec", "name"), "glm", None, "a value"),
    ("get", ("spec", "none", "deeper"), None, None, "a step through nothing"),
    ("get", ("spec", "name", "deeper"), None, "spec.name.deeper", "a step through a text"),
    ("text", ("spec", "name"), "glm", None, "a text"),
    ("text", ("spec", "replicas"), "3", None, "a number where a text should be"),
    ("text", ("spec", "paused"), "", "spec.paused", "a flag where a text should be"),
    ("text", ("spec", "list"), "", "spec.list", "a list where a text should be"),
    ("text", ("spec", "missing"), "", None, "a text that is missing"),
    ("number", ("spec", "replicas"), 3, None, "a number"),
    ("number", ("spec", "written"), 4, None, "a number written as text"),
    ("number", ("spec", "negative"), -2, None, "a negative one"),
    ("number", ("spec", "whole"), 5, None, "a whole number with a point"),
    ("number", ("spec", "half"), None, "spec.half", "half a replica"),
    ("number", ("spec", "far"), None, "spec.far", "a number without end"),
    ("number", ("spec", "arabic"), None, "spec.arabic", "digits of another script"),
    ("number", ("spec", "paused"), None, "spec.paused", "a flag where a number should be"),
    ("number", ("spec", "missing"), None, None, "a number that is missing"),
    ("flag", ("spec", "paused"), True, None, "a flag"),
    ("flag", ("spec", "replicas"), None, "spec.replicas", "a number where a flag should be"),
    ("flag", ("spec", "missing"), None, None, "a flag that is missing"),
    ("texts", ("spec", "texts"), ("a", "b"), "spec.texts", "a list with other things in it"),
    ("texts", ("spec", "name"), (), "spec.name", "a text where a list should be"),
    ("texts", ("spec", "missing"), (), None, "a list that is missing"),
    ("map", ("spec", "map"), {"cpu": "1", "gpu": "8", "half": "0.5"}, None, "a map"),
    ("map", ("spec", "list"), {}, "spec.list", "a list where a map should be"),
    ("map", ("spec", "missing"), {}, None, "a map that is missing"),
]


@pytest.mark.parametrize(("getter", "path", "value", "odd"), [pytest.param(*row[:4], id=row[4]) for row in READ])
def test_it_reads(getter: str, path: tuple[str, ...], value: Any, odd: str | None) -> None:
    fields = Fields(OBJECT, "Deployment llm/glm")
    assert getattr(fields, getter)(*path) == value
    assert fields.odd == ([f"Deployment llm/glm: {odd}"] if odd else [])


def test_each_gives_the_objects_of_a_list() -> None:
    fields = Fields(OBJECT)
    assert [one.data for one in fields.each("spec", "list")] == [{"a": 1}]
    assert fields.odd == ["object: spec.list"]


def test_at_gives_the_object_there_or_an_empty_one() -> None:
    fields = Fields(OBJECT, "Pod llm/x")
    assert fields.at("spec").number("replicas") == 3
    assert not fields.at("spec", "missing")
    assert not fields.at("spec", "name")
    assert fields.at("spec", "name").text("any") == ""
    assert fields.odd == ["Pod llm/x: spec.name"]


def test_what_is_odd_deeper_down_is_noted_in_the_same_list() -> None:
    odd: list[str] = []
    Fields(OBJECT, "Pod llm/x", odd).at("spec").text("list")
    assert odd == ["Pod llm/x: list"]


def test_a_condition_is_the_first_of_its_type() -> None:
    assert Fields(OBJECT).condition("Ready").text("status") == "True"
    assert not Fields(OBJECT).condition("Other")


@pytest.mark.parametrize("data", [None, [], "text", 3, True, {"spec": []}, {"spec": "x"}, {1: 2}])
def test_whatever_it_is_given_it_answers(data: Any) -> None:
    fields = Fields(data)
    assert fields.text("spec", "a", "b") == ""
    assert fields.number("spec", "a") is None
    assert list(fields.each("spec", "a")) == []
    assert fields.map("spec", "a") == {}
    assert not fields.condition("Ready")


def test_oddities_are_noted_once_and_not_without_end() -> None:
    fields = Fields({f"f{index}": [] for index in range(50)})
    for _ in range(2):
        for index in range(50):
            fields.text(f"f{index}")
    assert len(fields.odd) == ODD_KEPT
    assert len(set(fields.odd)) == ODD_KEPT
