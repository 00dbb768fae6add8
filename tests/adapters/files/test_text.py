"""Bytes that cannot be Kubernetes objects are refused with the file's name and a reason."""

import io
import os
from pathlib import Path

import pytest

from bot.adapters.files.text import read_bytes
from bot.domain.errors import ConfigError


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"kind: Pod\n\0\0", "is not text", id="a zero byte"),
        pytest.param(b"\x7fELF\x02\x01\x01\0", "is not text", id="a program"),
        pytest.param(b"\x1f\x8b\x08\0", "is compressed (gzip)", id="gzip"),
        pytest.param(b"PK\x03\x04rest", "is compressed (zip)", id="zip"),
        pytest.param(b"a: 1\nb: \xff\xfa\n", "line 2 is not text", id="a byte that is not UTF-8, with its line"),
        pytest.param(b"\xff\xfea", "is not text", id="half a character of UTF-16"),
    ],
)
def test_refuses(tmp_path: Path, data: bytes, says: str) -> None:
    file = tmp_path / "objects.yaml"
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=r"objects\.yaml") as raised:
        read_bytes(file)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("kind: Pöd\n".encode(), id="UTF-8"),
        pytest.param("kind: Pöd\n".encode("utf-8-sig"), id="with a byte order mark"),
        pytest.param("kind: Pöd\n".encode("utf-16"), id="UTF-16, as a shell on Windows redirects it"),
    ],
)
def test_reads_text(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "objects.yaml"
    file.write_bytes(data)
    assert read_bytes(file) == "kind: Pöd\n".encode()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml does not exist"):
        read_bytes(tmp_path / "absent.yaml")


def test_a_folder_in_place_of_a_file_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read"):
        read_bytes(tmp_path)


def test_a_file_larger_than_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "objects.yaml"
    with file.open("wb") as sparse:
        sparse.truncate(2 * 1024**3 + 1)
    with pytest.raises(ConfigError, match="larger than 2 GiB"):
        read_bytes(file)


def test_a_stream_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="standard input is larger"):
        read_bytes(Path("-"), biggest_bytes=10, stdin=io.BytesIO(b"x" * 11))


def test_a_pipe_is_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"kind: Pod\n")
    os.close(writing)
    assert read_bytes(Path(f"/dev/fd/{reading}")) == b"kind: Pod\n"
    os.close(reading)
