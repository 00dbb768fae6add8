"""An IncidentStore without a database (tests/adapters/store/test_incident_contract.py holds it to the real one)."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import msgspec

from bot.domain.incident import Book
from bot.domain.posting import Post


class MemoryIncidents:
    """`posts` are those that were recorded, in their order."""

    def __init__(self, clusters: Iterable[str] = ("prod",)) -> None:
        self.books = {name: Book(cluster=name) for name in clusters}
        self.posts: list[Post] = []

    def incidents(self, cluster: str) -> Book:
        return self.books[cluster]

    async def change(
        self,
        cluster: str,
        decide: Callable[[Book], Book],
        now: datetime,
        posts: Callable[[Book, Book], Sequence[Post]] | None = None,
    ) -> Book:
        before = self.books[cluster]
        after = decide(before)
        if after is before:
            return before
        self.posts += posts(before, after) if posts else ()
        self.books[cluster] = after
        for name, book in self.books.items():
            self.books[name] = msgspec.structs.replace(
                book, next_incident=after.next_incident, next_silence=after.next_silence
            )
        return self.books[cluster]

    async def prune(self, now: datetime, *, days: int) -> None:
        """Memory forgets nothing."""

    async def refresh(self) -> None:
        """Memory is all there is."""
