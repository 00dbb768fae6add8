"""Killed at random moments of a storm: what was recorded goes on from there, nothing is lost and nothing doubled."""

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.acting.incidents.telling import posts
from bot.adapters.store import Store
from bot.adapters.store.incidents import Incidents
from bot.domain.alert import Bundle, Look, Seen
from bot.domain.incident import Book
from bot.domain.posting import Post
from tests.alerts.building import NOW, RULES, a_bundle, an_alert, crashing
from tests.incidents.building import decide

KILLS = 200
STEPS = 110
NAMES = [f"n{number}" for number in range(40)]
MOMENTS = ("while deciding", "before it is kept", "after it is kept")


class KilledError(Exception):
    """The process is gone."""


class Mortal:
    """A store of a process that dies at a given moment of its next transaction."""

    def __init__(self, store: Store) -> None:
        self.store, self.moment = store, ""
        self.snapshot = store.snapshot

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        moment, self.moment = self.moment, ""
        async with self.store.transaction() as connection:
            yield connection
            if moment == "before it is kept":
                raise KilledError
        if moment == "after it is kept":
            raise KilledError


async def put_in(connection: AsyncConnection, found: Sequence[Post], now: datetime) -> None:
    """An outbox: replies are there once for ever, roots as they were said last."""
    for post in found:
        if post.thread:
            await connection.execute(
                text("INSERT INTO said VALUES (:key, :text, 1)"), {"key": post.key, "text": post.text}
            )
            continue
        await connection.execute(
            text("INSERT OR REPLACE INTO said VALUES (:key, :text, 1)"), {"key": post.key, "text": post.text}
        )


def bundles(step: int) -> list[Bundle]:
    """Forty nodes fail one after the other, some owners crash now and then, and all of it is repaired."""
    failed = [an_alert("node.not_ready", node=name) for name in NAMES[: min(step, 60 - step)] if 0 < step < 60]
    crashes = [crashing(f"llm/m{one}", node=f"cpu-{one}") for one in range(9) if step % (one + 5) < 4 and step < 70]
    return ([a_bundle(*failed)] if failed else []) + crashes


async def storm(store: Store, kills: random.Random | None) -> tuple[Book, dict[str, str], int]:
    mortal = Mortal(store)
    kept = Incidents(mortal, ["prod"], put_in)  # type: ignore[arg-type]  # it has what is used of a store
    killed = 0
    for step in range(STEPS):
        now = NOW + timedelta(seconds=30 * step)
        decided = decide(Look(bundles=tuple(bundles(step)), seen=Seen(nodes=frozenset(NAMES))), RULES, now)
        while True:
            moment = kills.choice(MOMENTS) if kills and kills.random() < 0.85 else ""
            try:
                await kept.change("prod", _dying(decided, mortal, moment), now, posts)
                break
            except KilledError:
                killed += 1
                kept = Incidents(mortal, ["prod"], put_in)  # type: ignore[arg-type]
                if moment == "after it is kept":
                    break
    async with store.snapshot() as connection:
        said = {row.key: row.text for row in await connection.execute(text("SELECT key, text FROM said"))}
    await kept.refresh()
    return kept.incidents("prod"), said, killed


def _dying(decided: object, mortal: Mortal, moment: str) -> object:
    def decide_or_die(book: Book) -> Book:
        if moment == "while deciding":
            raise KilledError
        mortal.moment = moment
        return decided(book)  # type: ignore[operator,no-any-return]  # a function, handed on

    return decide_or_die


async def test_it_goes_on_as_if_nobody_had_been_killed(url: str, tmp_path: object) -> None:
    ends = []
    for name, kills in (("calm", None), ("killed", random.Random(7))):
        store = await Store.open(url.replace("history", name))
        async with store.transaction() as connection:
            await connection.execute(text("CREATE TABLE said (key TEXT PRIMARY KEY, text TEXT, one INTEGER)"))
        ends.append(await storm(store, kills))
        await store.close()
    (calm, calm_said, _), (book, said, killed) = ends
    assert killed >= KILLS
    assert book == calm
    assert said == calm_said
    assert {"/".join(key.split("/")[:3]) for key in said if key.startswith("incident/")} <= said.keys()
    assert not list(book.alive())
