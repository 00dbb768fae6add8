"""YAML as kubectl writes it, into plain Python values, fast and without surprises.

What differs from PyYAML's own safe loader, and why:

- a plain text that looks like a time stays text, as it is in every Kubernetes object;
- `12:30` is text, not 750 (kubectl's YAML library knows no numbers to the base of 60 when it reads);
- `=` is text (PyYAML has a type for it that it cannot build);
- aliases are refused once they unfold to much more than was written, and where one contains itself.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bot.adapters.files.errors import broken

MOST_UNFOLDED = 1_000_000  # values that the aliases of one file may stand for

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAY_BE_ALIAS = re.compile(rb"(?:^|[\s,\[{?:-])\*[^\s,\[\]{}]", re.MULTILINE)


class _Loader(_Base):  # type: ignore[misc]  # libyaml's loader where there is one
    """The safe loader with the resolvers below only."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _form, _firsts in (
    ("bool", r"yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF", "yYnNtTfFoO"),
    ("int", r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0|[1-9][0-9_]*)", "-+0123456789"),
    ("float", r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?[1-9][0-9]*[eE][-+]?[0-9]{1,3}"
     r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+0123456789."),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("merge", r"<<", "<"),
):  # fmt: skip
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_form})\Z"), list(_firsts))


def documents(data: bytes, file: Path) -> Iterator[tuple[int, Any]]:
    """(line, value) of each document that is not empty. Raises ConfigError with line and column."""
    if _MAY_BE_ALIAS.search(data):
        _refuse_bombs(data, file)
    loader = _Loader(data)
    try:
        while loader.check_node():
            node = loader.get_node()
            line = node.start_mark.line + 1
            try:
                value = loader.construct_document(node)
            except (ValueError, RecursionError) as error:  # a number of ten thousand digits, a value inside itself
                raise broken(file, line, 1, f"a value of this document cannot be read: {error}") from error
            if value is not None:
                yield line, value
    except yaml.YAMLError as error:
        raise _located(error, data, file) from error
    finally:
        loader.dispose()


def _located(error: yaml.YAMLError, data: bytes, file: Path) -> Exception:
    if isinstance(error, yaml.MarkedYAMLError) and (mark := error.problem_mark or error.context_mark):
        return broken(file, mark.line + 1, mark.column + 1, f"not YAML: {error.problem or error.context}")
    position = getattr(error, "position", 0)
    line = data.count(b"\n", 0, position) + 1
    column = position - (data.rfind(b"\n", 0, position) + 1) + 1
    return broken(file, line, column, f"not YAML: {getattr(error, 'reason', error)}")


def _refuse_bombs(data: bytes, file: Path) -> None:
    """Count what the aliases would unfold to, from the parser's events alone: nothing is built."""
    tally = _Tally()
    try:
        for event in yaml.parse(data, _Loader):
            trouble = tally.take(event)
            if trouble:
                mark = event.start_mark
                raise broken(file, mark.line + 1 if mark else 1, mark.column + 1 if mark else 1, trouble)
    except yaml.YAMLError as error:
        raise _located(error, data, file) from error


class _Tally:
    """How many values each anchor stands for, and all aliases together."""

    def __init__(self) -> None:
        self._sizes: dict[str | None, int] = {}
        self._open: list[tuple[str | None, int]] = []  # anchor and size so far of the collections around
        self._unfolded = 0

    def take(self, event: yaml.Event) -> str:
        """One event of the parser; what is wrong with it, or nothing."""
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor)
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append((event.anchor, 1))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._closed(*self._open.pop())
        elif isinstance(event, yaml.ScalarEvent):
            self._closed(event.anchor, 1)
        return ""

    def _alias(self, anchor: str | None) -> str:
        if any(anchor == around for around, _ in self._open):
            return f"the alias *{anchor} contains itself"
        size = self._sizes.get(anchor, 0)
        self._unfolded += size
        if self._unfolded > MOST_UNFOLDED:
            return f"the aliases stand for more than {MOST_UNFOLDED:,} values, which no cluster wrote"
        self._closed(None, size)
        return ""

    def _closed(self, anchor: str | None, size: int) -> None:
        if anchor:
            self._sizes[anchor] = size
        if self._open:
            around, before = self._open[-1]
            self._open[-1] = (around, before + size)
