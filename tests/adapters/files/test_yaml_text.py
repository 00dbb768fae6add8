"""YAML as kubectl writes it: texts stay texts, errors have a place, bombs do not go off."""

from pathlib import Path
from typing import Any

import pytest

from bot.adapters.files import yaml_text
from bot.domain.errors import ConfigError

FILE = Path("objects.yaml")


def values(text: str) -> list[Any]:
    return [value for _, value in yaml_text.documents(text.encode(), FILE)]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        pytest.param('"yes"', "yes", id="a quoted yes is text"),
        pytest.param('"8"', "8", id="a quoted number is text"),
        pytest.param("8", 8, id="a number is one"),
        pytest.param("2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z", id="a time is text"),
        pytest.param("2026-11-30", "2026-11-30", id="a date is text"),
        pytest.param("12:30", "12:30", id="a time of day is text"),
        pytest.param("08", "08", id="08 is no octal number"),
        pytest.param("570.172.08", "570.172.08", id="a driver's version is text"),
        pytest.param("=", "=", id="an equals sign is text"),
        pytest.param("1e3", 1000.0, id="a number with an exponent"),
        pytest.param("0.5", 0.5, id="half a processor"),
        pytest.param("true", True, id="true"),
        pytest.param("~", None, id="nothing"),
        pytest.param("10Gi", "10Gi", id="a quantity is text"),
    ],
)
def test_reads_a_value_as_kubectl_would(written: str, value: object) -> None:
    assert values(f"a: {written}") == [{"a": value}]


def test_each_document_comes_with_its_line_and_empty_ones_do_not_come() -> None:
    found = list(yaml_text.documents(b"# a comment\na: 1\n---\n---\n\nb: 2\n", FILE))
    assert found == [(2, {"a": 1}), (6, {"b": 2})]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("a: 1\nb: [1, 2\nc: 3\n", r"objects\.yaml, line 3, column 2: not YAML", id="an open bracket"),
        pytest.param("a: b: c\n", r"line 1, column 5: not YAML: mapping values", id="two colons"),
        pytest.param("a: 1\n\tb: 2\n", r"line 2, column 1: not YAML", id="a tab"),
        pytest.param("a: 1\nb: \x01\n", r"line 2, column 4: not YAML: control characters", id="a control character"),
        pytest.param("a: *b\n", r"line 1, column 4: not YAML: .*undefined alias", id="an alias of nothing"),
        pytest.param("a: !!python/name:os.system\n", r"line 1, column 4: not YAML", id="a tag that would run code"),
        pytest.param("a: !Ref b\n", r"line 1, column 4: not YAML", id="a tag of another tool"),
        pytest.param("a: " + "[" * 5000, r"line 1, column \d+: not YAML: .*nesting", id="nested five thousand deep"),
        pytest.param("a: " + "9" * 5000, r"line 1, column 1: .*cannot be read", id="a number of five thousand digits"),
        pytest.param(
            "a: &a\n  b: *a\n", r"line 2, column 6: the alias \*a contains itself", id="an alias inside itself"
        ),
    ],
)
def test_refuses_with_line_and_column(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        values(text)


def test_refuses_aliases_that_unfold_without_end() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(ConfigError, match=r"line 6, column .*the aliases stand for more than 1,000,000 values"):
        values("\n".join(lines))


def test_a_few_aliases_and_merged_keys_are_fine() -> None:
    text = "base: &base {a: 1}\nmore:\n  <<: *base\n  b: 2\nsame: *base\n"
    assert values(text) == [{"base": {"a": 1}, "more": {"a": 1, "b": 2}, "same": {"a": 1}}]


def test_a_star_in_prose_is_no_alias() -> None:
    assert values('a: "2 * 3, *b"\nb: see *c\n') == [{"a": "2 * 3, *b", "b": "see *c"}]
