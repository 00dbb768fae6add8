"""A folder is written whole or not at all."""

from pathlib import Path

import pytest
import yaml

from bot.adapters.capture.folder import new_folder, write_objects
from bot.domain.errors import ConfigError


def test_the_folder_appears_when_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    with new_folder(target) as staging:
        write_objects(staging / "objects.yaml", [{"a": 1}, {"b": 2}])
        assert not target.exists()
    assert (target / "objects.yaml").read_bytes() == b"a: 1\n---\nb: 2\n"


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with new_folder(tmp_path / "folder") as staging:
        write_objects(staging / "objects.yaml", [{"a": 1}])
    assert (tmp_path / "folder/objects.yaml").exists()


def test_nothing_is_left_of_a_failure(tmp_path: Path) -> None:
    with pytest.raises(yaml.YAMLError), new_folder(tmp_path / "folder") as staging:
        write_objects(staging / "objects.yaml", [{"a": 1}, {"a": object()}])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", [pytest.param("file", id="a file"), pytest.param("link", id="a link to nowhere")])
def test_what_is_taken_is_refused(tmp_path: Path, taken: str) -> None:
    target = tmp_path / "folder"
    if taken == "file":
        target.write_text("mine")
    else:
        target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="folder is not an empty folder"), new_folder(target):
        raise AssertionError("not reached")


def test_a_parent_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent/folder cannot be made"), new_folder(tmp_path / "absent/folder"):
        raise AssertionError("not reached")
