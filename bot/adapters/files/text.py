"""Bytes of a file or of standard input, refused early where they cannot be text with Kubernetes objects in it."""

import codecs
import sys
from pathlib import Path
from typing import BinaryIO

from bot.adapters.files.errors import STANDARD_INPUT, Place
from bot.domain.errors import ConfigError

BIGGEST_BYTES = 2 * 1024**3
_LOOK = 8192
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip", b"BZh": "bzip2"}
# A shell that redirects into UTF-16 (older PowerShell does) still writes text.
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def read_bytes(file: Path, *, biggest_bytes: int = BIGGEST_BYTES, stdin: BinaryIO | None = None) -> bytes:
    """The file's text as UTF-8 bytes without a byte order mark.

    Raises ConfigError: missing, unreadable, larger than `biggest_bytes`, compressed or binary.
    """
    place = Place(file)
    try:
        if file == STANDARD_INPUT:
            data = (stdin or sys.stdin.buffer).read(biggest_bytes + 1)
        else:
            _refuse_huge(file, biggest_bytes)
            with file.open("rb") as opened:  # a pipe has no size: read no more than one byte too many
                data = opened.read(biggest_bytes + 1)
    except FileNotFoundError:
        raise ConfigError(f"{place} does not exist") from None
    except OSError as error:
        raise ConfigError(f"{place} cannot be read: {error.strerror or error}") from error
    if len(data) > biggest_bytes:
        raise _huge(place, biggest_bytes)
    return _as_text(data, place)


def _refuse_huge(file: Path, biggest_bytes: int) -> None:
    if file.stat().st_size > biggest_bytes:
        raise _huge(Place(file), biggest_bytes)


def _huge(place: Place, biggest_bytes: int) -> ConfigError:
    return ConfigError(f"{place} is larger than {biggest_bytes / 1024**3:g} GiB, the most that is read from one file")


def _as_text(data: bytes, place: Place) -> bytes:
    for mark, name in _COMPRESSED.items():
        if data.startswith(mark):
            raise ConfigError(f"{place} is compressed ({name}): unpack it first")
    for mark, encoding in _UTF16.items():
        if data.startswith(mark):
            try:
                return data.decode(encoding).encode()
            except UnicodeDecodeError as error:
                raise ConfigError(f"{place} is not text: it begins like UTF-16 and is none") from error
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data[:_LOOK]:
        raise ConfigError(f"{place} is not text: YAML or JSON of Kubernetes objects is read")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{Place(place.file, line)} is not text: a byte there is not UTF-8") from error
    return data
