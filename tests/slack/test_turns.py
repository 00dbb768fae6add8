"""Acknowledgements go first: an answer waits for a quiet moment, but not for ever."""

import asyncio

from bot.slack.turns import LONGEST_SECONDS, QUIET_SECONDS, Turns


class Clock:
    """Time passes only while somebody sleeps, and after each sleep one of `acks` goes out."""

    def __init__(self) -> None:
        self.now = 100.0
        self.turns: Turns | None = None
        self.acks = 0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.now += seconds
        if self.acks and self.turns:
            self.acks -= 1
            self.turns.acked()


def turns_of(clock: Clock) -> Turns:
    clock.turns = Turns(clock, clock.sleep)
    return clock.turns


async def waited(turns: Turns, clock: Clock) -> float:
    started = clock.now
    async with turns.answering():
        return clock.now - started


async def test_an_answer_comes_at_once_where_nobody_else_asks() -> None:
    clock = Clock()
    assert await waited(turns_of(clock), clock) == 0


async def test_an_answer_waits_until_no_acknowledgement_has_gone_out_for_a_moment() -> None:
    clock = Clock()
    turns = turns_of(clock)
    turns.acked()
    clock.acks = 5
    assert round(await waited(turns, clock) / QUIET_SECONDS) == 6


async def test_an_answer_comes_even_where_people_never_stop_asking() -> None:
    clock = Clock()
    turns = turns_of(clock)
    turns.acked()
    clock.acks = 10_000
    assert LONGEST_SECONDS <= await waited(turns, clock) < LONGEST_SECONDS + 2 * QUIET_SECONDS


async def test_answers_come_one_after_the_other() -> None:
    turns = turns_of(Clock())
    order: list[str] = []

    async def answer(name: str) -> None:
        async with turns.answering():
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(answer("first"), answer("second"))
    assert order == ["first begins", "first ends", "second begins", "second ends"]
