"""A book over time: looks are evaluated and written into incidents, and what would be posted is kept."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from bot.acting.incidents.telling import posts
from bot.alerts.evaluate import evaluate
from bot.domain.alert import Bundle, Look, Seen
from bot.domain.alert_rules import AlertRules
from bot.domain.incident import Book, Deed, Happening, Incident, ManageIncident
from bot.domain.person import Access, Asker
from bot.domain.posting import Post
from bot.incidents import deeds
from bot.incidents.follow import follow
from tests.alerts.building import NODES, NOW, RULES

ANA = Asker(id="U0ANA", workspace="T0HOME", name="ana", channel="C0OPS", access=Access.OPERATE)
BEN = Asker(id="U0BEN", workspace="T0HOME", name="ben", channel="C0OPS", access=Access.OPERATE)


def decide(look: Look, rules: AlertRules, now: datetime, *before: str) -> Callable[[Book], Book]:
    """What a sweep does to a book."""

    def decided(book: Book) -> Book:
        done = evaluate(
            book.alerts,
            look,
            rules,
            tuple(book.silences.values()),
            now,
            cluster=book.cluster,
            next_number=book.next_incident,
        )
        return follow(book, done, now, lambda content: before)

    return decided


class Watch:
    """One cluster; `posted` holds what stands in Slack: roots as they are now, replies in their order."""

    def __init__(self, rules: AlertRules = RULES, *, seconds: float = 30.0) -> None:
        self.rules, self.seconds, self.now = rules, seconds, NOW
        self.book = Book(cluster="prod")
        self.posted: dict[str, Post] = {}
        self.calls = 0

    def look(self, *bundles: Bundle, times: int = 1, before: tuple[str, ...] = (), **seen: Any) -> None:
        for _ in range(times):
            look = Look(bundles=bundles, seen=Seen(**({"nodes": NODES} | seen)))
            self.change(decide(look, self.rules, self.now, *before))
            self.now += timedelta(seconds=self.seconds)

    def change(self, decided: Callable[[Book], Book]) -> None:
        after = decided(self.book)
        for post in posts(self.book, after):
            self.calls += 1
            assert not (post.thread and post.key in self.posted), f"{post.key} is said twice"
            assert not post.thread or post.thread in self.posted, f"{post.key} has no root yet"
            self.posted[post.key] = post
        self.book = after

    def do(self, deed: Deed, number: int = 1, by: Asker = ANA, **more: Any) -> None:
        self.change(lambda book: deeds.do(book, ManageIncident(number, deed, **more), by, self.now))

    def incident(self, number: int = 1) -> Incident:
        return self.book.incidents[number]

    def story(self, number: int = 1) -> list[Happening]:
        return [one.what for one in self.incident(number).timeline]

    @property
    def threads(self) -> list[str]:
        return [key for key, post in self.posted.items() if not post.thread]
