"""From all names of a capture to their replacements: numbered by role in the old names' order, families kept together.

The old order stays visible on purpose (numbers are padded): what picks the first of equals picks the same one again.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from bot.adapters.capture.rename import words
from bot.adapters.capture.rename.collect import Named, names

_ID = re.compile(r"(?:(?:pvc|pv|csi|claim)-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ORDER = {role: rank for rank, role in enumerate((*words.ROLES.values(), "cohort", "org"))}
_LAST = len(_ORDER)


def plan(items: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Old word → new word. A word that stays maps to itself, so that no part of it is replaced."""
    found: dict[str, Named] = {}
    for item in items:
        for named in names(item):
            before = found.get(named.word)
            if _ID.fullmatch(named.word):  # ids are replaced as ids
                continue
            if before is None or _rank(named) < _rank(before):
                found[named.word] = named
    new = {word: word for word in found if _stays(word)}
    families = {word: named.owner for word, named in found.items() if word not in new and _of(word, named.owner)}
    _number([named for word, named in found.items() if word not in new and word not in families], set(found), new)
    for word, named in found.items():
        if named.role == "node" and "." in word:  # the short name of a node that is called by its long one
            new.setdefault(word.partition(".")[0], new[word])
    for word in sorted(families):
        new[word] = _in_family(word, families, new)
    _claims(found, new)
    return new


def _rank(named: Named) -> tuple[int, int]:
    """Objects of known kinds first, what has an owner before a mere mention of the same word."""
    return (_ORDER.get(named.role, _LAST + (named.role == "v")), 0 if named.owner else 1)


def _stays(word: str) -> bool:
    return (
        word in words.STANDARD_NAMESPACES
        or len(word) < 2
        or word.isdigit()
        or "/" in word
        or bool(words.COMPONENT.fullmatch(word))
        or word.startswith(("system-", "system:"))
    )


def _of(word: str, owner: str) -> bool:
    """Whether a name is made from its owner's: `glm-0`, `glm-7f9c-x2x9z`, `kube-proxy-node-a`."""
    return bool(owner) and word != owner and bool(_boundary(owner).search(word))


def _boundary(part: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^.-]){re.escape(part)}(?![^.-])")


def _in_family(word: str, families: Mapping[str, str], new: Mapping[str, str]) -> str:
    """An owner's name is part of the word and shorter, so this comes to an end."""
    if word in new:
        return new[word]
    owner = families[word]
    replacement = _in_family(owner, families, new)
    return _boundary(owner).sub(lambda _: replacement, word, count=1)


def _number(named: list[Named], taken: set[str], new: dict[str, str]) -> None:
    """`taken` are all old words: none of them may come out as another's new one."""
    by_role: dict[str, list[str]] = defaultdict(list)
    for one in named:
        by_role[one.role].append(one.word)
    for role, group in sorted(by_role.items()):
        width = len(str(len(group)))
        number = 0
        for word in sorted(group):
            number += 1
            while f"{role}-{number:0{width}d}" in taken:
                number += 1
            new[word] = f"{role}-{number:0{width}d}"


def _claims(found: Mapping[str, Named], new: dict[str, str]) -> None:
    """`data-glm-0` is the claim of the pod `glm-0`, though nothing in it says so."""
    pods = {word for word, named in found.items() if named.role == "pod"}
    for word, named in found.items():
        parts = word.split("-")
        if named.role != "pvc" or named.owner:
            continue
        for start in range(1, len(parts)):
            pod = "-".join(parts[start:])
            if pod in pods:
                new[word] = f"{'-'.join(parts[:start])}-{new[pod]}"
                break
