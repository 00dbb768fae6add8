"""Manifests as text: whatever is in them, every reader takes the same data from it, and nothing becomes structure."""

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.deploying.kustomize import kustomization
from bot.deploying.yaml_text import dump
from tests.deploying.building import a_cluster, chosen, gpu_node

ODD = [
    *("no", "Yes", "null", "~", "", " ", "1", "1e3", "0x10", "1_000", "1:30", "2026-11-30", ".inf", "a: b", "a #b"),
    *(
        "- a",
        "? a",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a`",
        "|",
        ">",
        "{a: b}",
        "[a]",
        "'a'",
        '"a"',
        "\\",
        "a\nb",
        "a\r\nb",
    ),
    *("a\tb", "\x00", "\x7f", "\u2028", "\ufeff", "é", "𝕏", "---", "...", "a:", ":a", "=", "<<", "0o7", "12:30:45"),
]


@pytest.mark.parametrize("text", ODD)
def test_an_odd_text_stays_that_text(text: str) -> None:
    data = {"a": text, "b": [text], "c": {"d": text}}
    if text:
        data[text] = "key"
    assert list(yaml.safe_load_all(dump([data]))) == [data]


@pytest.mark.parametrize("length", [999, 1_000, 1_023, 1_025, 5_000])
@pytest.mark.parametrize("value", ["b", None, {}, [], {"c": "d"}, ["e", ["f"]], [{"g": {"h": ["i"]}}]])
def test_a_long_key_stays_that_key(length: int, value: object) -> None:
    data = {"first": 1, "a" * length: value, "\u0301" * (length // 6): value, "last": {"k" * length: value}}
    listed = {"in a list": [data, [data]]}
    assert list(yaml.safe_load_all(dump([data, listed]))) == [data, listed]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
DATA = st.recursive(
    SCALARS | st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.sampled_from(ODD), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(st.text(), DATA, min_size=1, max_size=4), max_size=4))
def test_any_data_comes_back_as_it_was(objects: list[dict[str, Any]]) -> None:
    assert list(yaml.safe_load_all(dump(objects))) == objects


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(), DATA, min_size=1, max_size=4))
def test_whatever_is_in_it_the_text_is_plain_ascii_of_one_document(data: dict[str, Any]) -> None:
    text = dump([data])
    assert text.isascii()
    assert all(line.isprintable() for line in text.split("\n"))
    assert not any(line.startswith(("---", "...", "END_OF_FILE ")) for line in text.split("\n"))


@pytest.mark.parametrize("number", [1e300, 1e-7, 1e22, -0.0, 2.5, 10**30])
def test_a_number_stays_that_number(number: float) -> None:
    (back,) = yaml.safe_load_all(dump([{"a": number}]))
    assert back == {"a": number}
    assert type(back["a"]) is type(number)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump([{"a": float("nan")}])


def test_the_manifests_and_the_folder_for_kustomize_are_the_same_objects() -> None:
    best = chosen(a_cluster(gpu_node("g1")), "glm").best
    assert best is not None
    text = dump(best.rendering.objects)
    assert tuple(yaml.safe_load_all(text)) == best.rendering.objects
    script = kustomization(best, text)
    assert text in script
    base = yaml.safe_load(script.split("END_OF_FILE'\n", 1)[1].split("END_OF_FILE", 1)[0])
    assert (base["kind"], base["resources"], base["namespace"]) == ("Kustomization", ["objects.yaml"], "llm")
    assert "END_OF_FILE" not in text
