"""The catalogue of Xids, from config/xid.yaml: read when the first is asked for, and checked whole."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from bot.domain import data_file
from bot.domain.data_file import Texts, codes, text_of
from bot.domain.errors import ConfigError
from bot.gpu.xid_entry import Blame, Clears, Urgency, Xid

FILE = "xid.yaml"
BLAMES = {one.name.lower(): one for one in Blame}
URGENCIES = {one.name.lower(): one for one in Urgency}
CLEARS = {
    "nothing": Clears.NOTHING_NEEDED,
    "xid-154": Clears.SEE_154,
    **{one.name.lower(): one for one in Clears if one not in (Clears.NOTHING_NEEDED, Clears.SEE_154)},
}
_NEEDED = frozenset({"name", "meaning", "blame", "clears", "urgency", "source"})
_KNOWN = _NEEDED | {"immediate", "then", "note"}
Chosen = TypeVar("Chosen")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`unused`: numbers that NVIDIA marks so. `ignored_by_plugin`: of which the device plugin takes no notice."""

    as_of: str
    entries: Mapping[int, Xid]
    unused: frozenset[int]
    ignored_by_plugin: frozenset[int]


@cache
def catalogue() -> Catalogue:
    """Raises ConfigError."""
    return read(data_file.load(FILE), str(data_file.FOLDER / FILE))


def read(told: Texts, where: str) -> Catalogue:
    """Raises ConfigError that names the entry."""
    entries: dict[int, Xid] = {}
    try:
        for one in _entries(told):
            if one.code in entries:
                raise ValueError(f"{one.code} is there twice")
            entries[one.code] = one
        return Catalogue(
            as_of=text_of(told, "as_of"),
            entries=entries,
            unused=frozenset(codes(text_of(told, "unused"))),
            ignored_by_plugin=frozenset(codes(text_of(told, "ignored_by_plugin"))),
        )
    except ValueError as wrong:
        raise ConfigError(f"{where}: {wrong}") from wrong


def _entries(told: Texts) -> Iterator[Xid]:
    sources, xids = told.get("sources"), told.get("xids")
    if not isinstance(sources, dict) or not isinstance(xids, dict):
        raise ValueError("`sources` and `xids` have to be mappings")
    for key, facts in xids.items():
        if not isinstance(facts, dict):
            raise ValueError(f"`{key}` has to be a mapping")
        if odd := sorted(_NEEDED - set(facts)) or sorted(set(facts) - _KNOWN):
            raise ValueError(f"`{key}`: `{odd[0]}` is {'missing' if odd[0] in _NEEDED else 'not known'}")
        for code in _codes(key):
            yield _xid(code, facts, sources)


def _codes(key: str) -> tuple[int, ...]:
    try:
        return codes(key)
    except ValueError as wrong:
        raise ValueError(f"`{key}` is neither a number nor several, such as 39-41, 70") from wrong


def _xid(code: int, facts: Texts, sources: Texts) -> Xid:
    return Xid(
        code,
        text_of(facts, "meaning"),
        _chosen(code, facts, "blame", BLAMES),
        _chosen(code, facts, "clears", CLEARS),
        _chosen(code, facts, "urgency", URGENCIES),
        note=text_of(facts, "note"),
        name=text_of(facts, "name"),
        immediate=text_of(facts, "immediate"),
        then=text_of(facts, "then"),
        source=_chosen(code, facts, "source", {name: link for name, link in sources.items() if isinstance(link, str)}),
    )


def _chosen(code: int, facts: Texts, key: str, known: Mapping[str, Chosen]) -> Chosen:
    value = text_of(facts, key)
    if value not in known:
        raise ValueError(f"`{code}`: `{key}` cannot be `{value}`; it is one of {', '.join(known)}")
    return known[value]
