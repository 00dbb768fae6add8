"""Regular expressions that are compiled when they are first used.

A start that answers one question uses few of the hundreds that are known, and compiling takes longer than looking.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_OWN = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split", "groupindex")


class Pattern:
    """As `re.compile` gives it, from the first use on: after that a call costs what it costs there.

    A wrong expression raises re.error at its first use (a test compiles them all).
    """

    flags: int
    pattern: str
    groupindex: Mapping[str, int]
    search: Callable[..., re.Match[str] | None]
    match: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    findall: Callable[..., list[Any]]  # texts, or tuples of them
    sub: Callable[..., str]
    split: Callable[..., list[str]]

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self.flags = pattern, int(flags)

    def __getattr__(self, name: str) -> object:
        """Only called for what is not there yet: what `re.compile` makes, before the first use of any of them."""
        if name not in _OWN:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        vars(self).update({one: getattr(compiled, one) for one in _OWN})
        return vars(self)[name]

    def __repr__(self) -> str:
        return f"Pattern({self.pattern!r})"
