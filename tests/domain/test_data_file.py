"""Data files: a part of YAML that any YAML reader reads alike, and everything beyond it is refused with its line."""

import pytest
import yaml

from bot.domain import data_file
from bot.domain.errors import ConfigError

FILES = ("xid.yaml", "drivers.yaml")


@pytest.mark.parametrize("name", FILES)
def test_a_yaml_reader_reads_the_same(name: str) -> None:
    text = (data_file.FOLDER / name).read_text()
    assert data_file.read(text, name) == yaml.load(text, yaml.BaseLoader)


def test_mappings_in_mappings_texts_and_comments() -> None:
    text = '# a\na: 1\nb:\n  c d: "x: y"\n\n  # e\n  e:\n    1, 2-4: f # not a comment'.replace(" # not a comment", "")
    assert data_file.read(text, "f") == {"a": "1", "b": {"c d": "x: y", "e": {"1, 2-4": "f"}}}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("- a", "f, line 1: neither `key: text`", id="a list"),
        pytest.param("a: 1\na: 2", "f, line 2: `a` is there twice", id="a key twice"),
        pytest.param("a:\n   b: 1", "f, line 2: its indentation does not fit", id="an odd indentation"),
        pytest.param("a: 1\n  b: 1", "f, line 2: its indentation does not fit", id="deeper under a text"),
        pytest.param("a:\nb: 1", "f, line 2: its indentation does not fit", id="a key without anything"),
        pytest.param("a:", "f ends with a key that has no text", id="a last key without anything"),
        pytest.param("a: b: c", "f, line 1: its text has to stand in double quotes", id="a colon in a plain text"),
        pytest.param("a: b # c", "f, line 1: its text has to stand in double quotes", id="a comment behind a text"),
        pytest.param("a: [1, 2]", "f, line 1: its text has to stand in double quotes", id="a flow list"),
        pytest.param("a: &b c", "f, line 1: its text has to stand in double quotes", id="an anchor"),
        pytest.param("a: |\n  b", "f, line 1: its text has to stand in double quotes", id="a text of several lines"),
        pytest.param('a: "b', "f, line 1: what begins with a quote", id="an open quote"),
        pytest.param("a", "f, line 1: neither `key: text`", id="no key"),
    ],
)
def test_what_is_beyond_it_is_refused_with_its_line(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        data_file.read(text, "f")
    assert str(refused.value).startswith(says)


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml cannot be read"):
        data_file.load("none.yaml")


def test_several_numbers() -> None:
    assert data_file.codes("39-41, 70,85") == (39, 40, 41, 70, 85)
    with pytest.raises(ValueError, match="invalid literal"):
        data_file.codes("1, x")
