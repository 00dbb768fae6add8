"""JSON as `kubectl -o json` and `kubectl cluster-info dump` write it: one value, or several one after the other."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bot.adapters.files.errors import broken

_SPACE = re.compile(r"\s*")
# kubernetes/kubectl:pkg/cmd/clusterinfo/clusterinfo_dump.go: without --output-directory the logs of all pods stand
# between the JSON values.
_LOGS = re.compile(rb"^==== START logs for container .*?^==== END logs for container [^\n]*$", re.MULTILINE | re.DOTALL)
_RAW = msgspec.json.Decoder(msgspec.Raw)


def documents(data: bytes, file: Path) -> Iterator[tuple[int, bytes]]:
    """(line, JSON text) of each value. Raises ConfigError with line and column."""
    try:
        yield 1, bytes(_RAW.decode(data))
    except (msgspec.DecodeError, RecursionError):
        yield from _one_after_the_other(data, file)


def _one_after_the_other(data: bytes, file: Path) -> Iterator[tuple[int, bytes]]:
    text = _LOGS.sub(_only_its_lines, data).decode()
    decoder = json.JSONDecoder()
    position = _skip_space(text, 0)
    line = 1 + text.count("\n", 0, position)
    while position < len(text):
        try:
            _, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise broken(file, error.lineno, error.colno, f"not JSON: {error.msg}") from error
        except (RecursionError, ValueError) as error:  # nested a thousand deep, or a number of ten thousand digits
            raise broken(file, line, 1, f"JSON that cannot be read: {error}") from error
        yield line, text[position:end].encode()
        following = _skip_space(text, end)
        line += text.count("\n", position, following)
        position = following


def _skip_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _only_its_lines(logs: re.Match[bytes]) -> bytes:
    """As many lines as before, so that the numbers of those that follow stay right."""
    return b"\n" * logs[0].count(b"\n")
