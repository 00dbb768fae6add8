"""The same event, delivered again, is answered once."""

import asyncio

import pytest

from bot.adapters.store import StoreUnavailableError
from bot.slack import redelivery
from bot.slack.redelivery import KEPT_AT_MOST, KEPT_SECONDS, Guard, Redelivery


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_first_delivery_counts_and_repeats_do_not() -> None:
    guard = Redelivery(Clock())
    assert [guard.is_first("a"), guard.is_first("a"), guard.is_first("b")] == [True, False, True]


def test_a_key_is_forgotten_after_ten_minutes() -> None:
    clock = Clock()
    guard = Redelivery(clock)
    guard.is_first("a")
    clock.now = KEPT_SECONDS
    assert not guard.is_first("a")
    clock.now = KEPT_SECONDS + 1
    assert guard.is_first("a")


def test_memory_is_bounded() -> None:
    guard = Redelivery(Clock())
    for index in range(KEPT_AT_MOST + 500):
        guard.is_first(str(index))
    assert len(guard._seen) <= KEPT_AT_MOST + 1


class Record:
    """What all replicas share."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.away = False

    async def __call__(self, key: str) -> bool:
        if self.away:
            raise StoreUnavailableError("away", retryable=True)
        first = key not in self.known
        self.known.add(key)
        return first


async def test_another_process_knows_what_this_one_acted_on() -> None:
    record = Record()
    one, other = Guard(Redelivery(Clock()), record), Guard(Redelivery(Clock()), record)
    assert [await one.first("a"), await one.first("a"), await other.first("a"), await other.first("b")] == [
        True,
        False,
        False,
        True,
    ]


async def test_without_a_record_memory_decides() -> None:
    record = Record()
    record.away = True
    for guard in (Guard(Redelivery(Clock()), record), Guard(Redelivery(Clock()))):
        assert [await guard.first("a"), await guard.first("a")] == [True, False]


async def test_a_record_that_takes_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redelivery, "RECORD_SECONDS", 0.01)
    released = asyncio.Event()

    async def slow(key: str) -> bool:
        await released.wait()
        return False

    guard = Guard(Redelivery(Clock()), slow)
    assert await guard.first("a")
    released.set()
    assert not await guard.first("a")
