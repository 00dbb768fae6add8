"""A poster on an outbox in a file, and on a chat in memory."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.adapters.chat.poster import Poster
from bot.adapters.cluster.backoff import Backoff
from bot.adapters.store import Store
from bot.adapters.store.posts import Outbox
from bot.domain.posting import Post
from tests.adapters.chat.building import Clock, FakeChat


@dataclass
class Office:
    """Everything between a record and a message."""

    box: Outbox
    chat: FakeChat
    clock: Clock
    poster: Poster

    async def put(self, *posts: Post) -> None:
        await self.box.put(posts, self.clock.now)

    async def run(self, seconds: float, step_seconds: float = 0.25) -> None:
        """So much time goes by."""
        for _ in range(int(seconds / step_seconds)):
            await self.poster.step()
            self.clock.forward(step_seconds)

    def restarted(self, fallback: str = "") -> None:
        """Another process: it knows what is recorded, and nothing else."""
        self.poster = Poster(
            self.box, self.chat, self.clock, fallback=fallback, backoff=Backoff(2.0, 60.0, chance=lambda: 1.0)
        )


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path}/posts.db")
    clock = Clock()
    chat = FakeChat(clock)
    box = Outbox(store)
    made = Office(box, chat, clock, Poster(box, chat, clock))
    made.restarted()
    yield made
    await store.close()
