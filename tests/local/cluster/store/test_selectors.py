"""Label selectors: what they parse to, what they match, what they refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.local.cluster.store import ApiError
from bot.local.cluster.store.selectors import Requirement, from_object, matches, parse_labels, render


@pytest.mark.parametrize(
    ("text", "labels", "matched"),
    [
        pytest.param("", {}, True, id="nothing selects everything"),
        pytest.param("a=b", {"a": "b"}, True, id="equal"),
        pytest.param("a==b", {"a": "c"}, False, id="not equal"),
        pytest.param("a!=b", {}, True, id="unequal holds where the label is absent"),
        pytest.param("a=", {"a": ""}, True, id="an empty value"),
        pytest.param("a in (b, c)", {"a": "c"}, True, id="in a set with spaces"),
        pytest.param("a notin (b,c)", {"a": "c"}, False, id="not in a set"),
        pytest.param("a notin (b,c)", {}, True, id="not in a set holds where the label is absent"),
        pytest.param("a", {"a": "x"}, True, id="present"),
        pytest.param("!a", {"a": "x"}, False, id="absent"),
        pytest.param("n>3", {"n": "4"}, True, id="greater"),
        pytest.param("n<3", {"n": "x"}, False, id="a word is not less than a number"),
        pytest.param("a=b,!c", {"a": "b", "c": ""}, False, id="all terms must hold"),
        pytest.param("x.io/a-b_c=1", {"x.io/a-b_c": "1"}, True, id="a prefixed key"),
    ],
)
def test_matching(text: str, labels: dict[str, str], matched: bool) -> None:
    assert matches(parse_labels(text), labels) is matched


@pytest.mark.parametrize("text", ["a b", "a in b", "a in (b", "=b", "a=b,,c", "n>x", "a=b c", "-a"])
def test_what_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as refused:
        parse_labels(text)
    assert refused.value.code == 400


KEYS = st.from_regex(r"[a-z]([a-z0-9.-]{0,5}[a-z0-9])?", fullmatch=True)
VALUES = st.frozensets(st.from_regex(r"[a-zA-Z0-9]{1,4}", fullmatch=True), min_size=1, max_size=3)
TERMS = st.builds(Requirement, KEYS, st.sampled_from(["in", "notin"]), VALUES) | st.builds(
    Requirement, KEYS, st.sampled_from(["exists", "absent"])
)


@given(st.lists(TERMS, max_size=4))
def test_what_is_printed_parses_back(terms: list[Requirement]) -> None:
    assert parse_labels(render(terms)) == tuple(terms)


@given(st.text(max_size=30))
def test_any_text_is_a_selector_or_refused(text: str) -> None:
    try:
        parse_labels(text)
    except ApiError as refused:
        assert refused.code == 400  # noqa: PT017 - either outcome is right, a crash is not


def test_a_selector_object_selects_nothing_when_absent_and_all_when_empty() -> None:
    assert from_object(None) is None
    assert from_object({}) == ()
    expression = {"key": "a", "operator": "NotIn", "values": ["x"]}
    selector = from_object({"matchLabels": {"b": "1"}, "matchExpressions": [expression]})
    assert selector is not None
    assert matches(selector, {"b": "1", "a": "y"})
    assert not matches(selector, {"b": "1", "a": "x"})
