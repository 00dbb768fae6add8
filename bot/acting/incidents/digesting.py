"""When a digest is due, and saying it: once for each day and week, by a key that has its date."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.access.windows import Window
from bot.acting.posting import as_post
from bot.domain.incident import Book
from bot.domain.posting import Post
from bot.domain.view import View
from bot.incidents.digest import day, digest, week
from bot.incidents.usage import Usage
from bot.ports import Posts
from bot.views import digest as views


@dataclass(frozen=True, slots=True)
class Digests:
    """daily and weekly begin when one is due, and are short: who starts later says nothing any more that day.

    channel: where they go.
    """

    posts: Posts
    channel: str
    daily: tuple[Window, ...] = ()
    weekly: tuple[Window, ...] = ()


def due(digests: Digests, now: datetime) -> tuple[tuple[str, datetime], ...]:
    """`day` and `week` with the time at which each was due, those that are due now."""
    found = (("day", digests.daily), ("week", digests.weekly))
    return tuple((name, at) for name, windows in found for at in _begun(windows, now))


def _begun(windows: Sequence[Window], now: datetime) -> list[datetime]:
    return [begins for one in windows for begins, ends in one.spans(now) if begins <= now < ends]


def post(
    digests: Digests, book: Book, view: View, name: str, at: datetime, usage: Usage | None, lasting: Sequence[str] = ()
) -> Post | None:
    """None where there is nothing to say."""
    since = day(at) if name == "day" else week(at)
    use = (usage or Usage()).of(since - timedelta(hours=1))
    told = digest(book, view, since, at, use, lasting)
    if not told.worth_saying:
        return None
    key = f"digest/{book.cluster}/{name}/{at:%Y-%m-%d}"
    return as_post(key, digests.channel, views.show(told, name))
