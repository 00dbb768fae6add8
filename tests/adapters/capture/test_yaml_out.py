"""YAML as kubectl prints it, which reads back as what was written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.capture.yaml_out import document
from bot.adapters.files import yaml_text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param("8", '"8"', id="digits"),
        pytest.param("true", '"true"', id="a truth value"),
        pytest.param("yes", '"yes"', id="yes"),
        pytest.param("y", '"y"', id="y"),
        pytest.param("", '""', id="nothing"),
        pytest.param("2026-11-30T12:00:00Z", '"2026-11-30T12:00:00Z"', id="a time"),
        pytest.param("12:30", '"12:30"', id="a time of day"),
        pytest.param("08", '"08"', id="a number with a zero before it"),
        pytest.param("1e3", '"1e3"', id="a number with an exponent"),
        pytest.param("477ff9c4-f2da-4321-9293-697bd5e0039f", "477ff9c4-f2da-4321-9293-697bd5e0039f", id="an id"),
        pytest.param("10.0.0.1", "10.0.0.1", id="an address"),
        pytest.param("570.172.08", "570.172.08", id="a driver's version"),
        pytest.param("64Gi", "64Gi", id="a quantity"),
        pytest.param("a: b", "'a: b'", id="what YAML itself would read otherwise"),
        pytest.param("a\nb\n", "|\n  a\n  b", id="several lines"),
        pytest.param("x" * 300 + " " + "y" * 300, "x" * 300 + " " + "y" * 300, id="a long line is not folded"),
        pytest.param(8, "8", id="a number"),
        pytest.param(None, "null", id="null"),
        pytest.param({}, "{}", id="an empty map"),
        pytest.param([1], "\n- 1", id="a list is not indented"),
        pytest.param("grün", "grün", id="letters stay letters"),
    ],
)
def test_writes(value: object, written: str) -> None:
    space = "" if written.startswith("\n") else " "
    assert document({"a": value}).decode() == f"a:{space}{written}\n"


def test_keys_are_in_order_and_nothing_is_an_alias() -> None:
    shared = {"x": 1}
    assert document({"b": shared, "a": shared}) == b"a:\n  x: 1\nb:\n  x: 1\n"


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40) | st.from_regex(
    r"[-+0-9a-fA-FxXobn_.:eE ~=<yYtTnN]{1,12}", fullmatch=True
)


@given(st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS, max_size=3) | st.integers(-(2**63), 2**63) | st.booleans()))
def test_reads_back_as_what_was_written(item: dict[str, object]) -> None:
    assert [value for _, value in yaml_text.documents(document(item), Path("x"))] == [item]
