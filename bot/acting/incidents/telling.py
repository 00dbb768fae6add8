"""What is to stand in Slack after a book has changed: told by comparing it with the one before.

A root for each incident, edited in place; in its thread the evidence at the time and each line of its timeline once;
one digest for a storm. Keys never change, so that saying it twice says it once.
"""

from collections.abc import Iterator

from bot.acting.posting import as_post
from bot.domain.alert_state import Storm
from bot.domain.document import Document
from bot.domain.incident import Book, Happening, Incident
from bot.domain.posting import Post
from bot.domain.severity import Severity
from bot.views import incident_root, incident_thread, storm

_UNTOLD = frozenset({Happening.OPENED, Happening.LAPSED})  # the root says it


def posts(before: Book, after: Book) -> tuple[Post, ...]:
    """Everything that is new, roots before their replies."""
    found: list[Post] = []
    for number, incident in sorted(after.incidents.items()):
        known = before.incidents.get(number)
        if known is not incident and known != incident and _told(incident):
            found += _of(known, incident)
    return (*found, *_digests(before, after))


def root_key(incident: Incident) -> str:
    return f"incident/{incident.cluster}/{incident.number}"


def _told(incident: Incident | None) -> bool:
    return incident is not None and bool(incident.channel) and not incident.quiet


def _of(known: Incident | None, incident: Incident) -> Iterator[Post]:
    key, channel = root_key(incident), incident.channel
    urgent = incident.content.severity is Severity.CRITICAL
    yield as_post(key, channel, incident_root.root(incident), urgent=urgent)
    new = known is None or not _told(known)
    if new:
        yield as_post(f"{key}/evidence", channel, incident_thread.evidence(incident), thread=key)
    first = len(known.timeline) if known is not None and not new else 1
    for place, entry in enumerate(incident.timeline[first:], start=first):
        if entry.what not in _UNTOLD:
            document = incident_thread.change(incident, entry)
            yield as_post(f"{key}/{place}", channel, document, thread=key)


def _digests(before: Book, after: Book) -> Iterator[Post]:
    """One for each channel that its incidents would go to."""
    blows = after.alerts.storm
    if blows is None:
        return
    for channel in sorted({one.channel for one in _members(blows, after) if one.channel}):
        now = _digest(blows, after, channel)
        was = _digest(before.alerts.storm, before, channel) if before.alerts.storm else None
        if now != was:
            yield as_post(f"storm/{after.cluster}/{blows.number}/{channel}", channel, now, urgent=was is None)


def _digest(blows: Storm, book: Book, channel: str) -> Document:
    return storm.digest(blows, [one for one in _members(blows, book) if one.channel == channel], book.cluster)


def _members(blows: Storm, book: Book) -> list[Incident]:
    return [book.incidents[number] for number in blows.members if number in book.incidents]
