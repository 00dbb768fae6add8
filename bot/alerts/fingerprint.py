"""Alerts out of what a sweep found, by names that last: the cause's id and the subject, never a number that changes.

A fault that many nodes have in the same words is one alert for each of those nodes, with one root: so that a node that
joins them, or is repaired, changes one alert and renames none.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping

from bot.domain.alert import Alert, Bundle, Content, Hit
from bot.domain.severity import Severity
from bot.domain.time import read_time
from bot.sweep.joined import GRAVE
from bot.sweep.trouble import Entry, Trouble

LENGTH = 16  # hexadecimal digits
FLEET = "the fleet"
EVIDENCE, REMEDIES, USELESS, UNKNOWN, EFFECT = 8, 4, 2, 4, 6


def fingerprint(cause: str, *subject: str) -> str:
    """The same for the same cause and subject, in every process."""
    return hashlib.sha256("\0".join((cause, *subject)).encode()).hexdigest()[:LENGTH]


def bundle(entry: Entry, teams: Mapping[str, str], hits: tuple[Hit, ...]) -> Bundle:
    """teams: by owner, where one is known."""
    return Bundle(alerts=tuple(_once(_alerts(entry, teams.get))), content=_content(entry, hits))


def _alerts(entry: Entry, team: Callable[[str], str | None]) -> Iterator[Alert]:
    for place, trouble in enumerate(entry.every):
        for node, owner in _subjects(trouble):
            yield Alert(
                fingerprint=fingerprint(trouble.id, node, trouble.about, owner),
                cause=trouble.id,
                severity=trouble.severity,
                subject=_named(node, trouble.about, owner),
                node=node,
                gpu=trouble.about if node else "",
                owner=owner,
                team=team(owner) or "",
                follows=place > 0,
                grave=trouble.id in GRAVE and bool(node),
            )


def _subjects(trouble: Trouble) -> list[tuple[str, str]]:
    """Nodes and owner. Pods move between nodes: what is said of an owner is not said of where it is."""
    if trouble.owner:
        return [("", trouble.owner)]
    return [(node, "") for node in trouble.nodes] or [("", "")]


def _named(node: str, about: str, owner: str) -> str:
    return owner or (f"{node} {about}".strip() if node else about or FLEET)


def _once(alerts: Iterator[Alert]) -> Iterator[Alert]:
    seen: set[str] = set()
    for one in alerts:
        if one.fingerprint not in seen:
            seen.add(one.fingerprint)
            yield one


def _content(entry: Entry, hits: tuple[Hit, ...]) -> Content:
    root = entry.root
    remedies = next((one.remedies for one in entry.every if one.remedies), ())
    return Content(
        title=root.sentence,
        cause=root.id,
        severity=Severity(entry.severity),
        since=read_time(entry.since),
        effect=entry.effect[:EFFECT],
        evidence=tuple(dict.fromkeys(text for one in entry.every for text in one.evidence))[:EVIDENCE],
        remedies=remedies[:REMEDIES],
        useless=root.useless[:USELESS],
        unknown=root.unknown[:UNKNOWN],
        hits=hits,
        nodes=root.nodes if not root.owner else (),
        places=entry.nodes,
    )
