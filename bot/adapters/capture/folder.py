"""The folder that is written: whole or not at all, for its owner's eyes only."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bot.adapters.capture.yaml_out import document
from bot.domain.errors import ConfigError

_PART = b"---\n"
_ONLY_MINE = 0o600


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside `target` that becomes `target` when the block ends well, and vanishes otherwise.

    Raises ConfigError if the target is not free or cannot be made.
    """
    _refuse_taken(target)
    try:
        staging = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))  # mode 0700
    except OSError as error:
        raise ConfigError(f"{target} cannot be made: {error.strerror or error}") from error
    try:
        yield staging
        try:
            staging.replace(target)  # takes the place of an empty folder too
        except OSError as error:
            raise ConfigError(f"{target} cannot be made: {error.strerror or error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _refuse_taken(target: Path) -> None:
    try:
        taken = target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir())))
    except OSError as error:
        raise ConfigError(f"{target} cannot be looked into: {error.strerror or error}") from error
    if taken:
        raise ConfigError(f"{target} is not an empty folder: name a new one, nothing is overwritten")


def write_objects(file: Path, items: Iterable[dict[str, Any]]) -> int:
    """One YAML document per object; how many bytes that came to."""
    size = 0
    with _create(file) as opened:
        for position, item in enumerate(items):
            size += opened.write((_PART if position else b"") + document(item))
    return size


def write_document(file: Path, content: dict[str, Any]) -> None:
    """A file of one YAML document."""
    with _create(file) as opened:
        opened.write(document(content))


def _create(file: Path) -> Any:
    return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_MINE), "wb")
