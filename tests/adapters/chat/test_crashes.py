"""Killed at any moment between a record and a message: nothing is lost, nothing is doubled, threads go on."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable

import pytest

from tests.adapters.chat.building import KilledError, a_post, a_reply
from tests.adapters.chat.conftest import Office

KILLS = 120


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("post", id="before it is sent"),
        pytest.param("posted", id="when it was sent, before that is recorded"),
    ],
)
async def test_a_message_is_there_once(office: Office, moment: str) -> None:
    await office.put(a_post(), a_reply("evidence"))

    def kill(what: str) -> None:
        if what == moment:
            raise KilledError

    for _ in range(2):
        office.chat.hook = kill
        with pytest.raises(KilledError):
            await office.run(5)
        office.chat.hook = lambda what: None
        office.restarted()
        await office.poster.step()
        office.clock.forward(2)
    await office.run(10)
    assert office.chat.texts() == ["it burns", "evidence"]
    root, reply = office.chat.messages.items()
    assert reply[1].thread_ts == root[0]


async def test_what_changed_meanwhile_is_edited_in_the_message_that_was_found(office: Office) -> None:
    await office.put(a_post())
    office.chat.hook = dies_at("posted")
    with pytest.raises(KilledError):
        await office.poster.step()
    office.chat.hook = lambda what: None
    await office.put(a_post(text="it is out"))
    office.restarted()
    await office.run(10)
    assert office.chat.texts() == ["it is out"]


def dies_at(moment: str) -> Callable[[str], None]:
    def hook(what: str) -> None:
        if what == moment:
            raise KilledError

    return hook


async def test_nothing_is_looked_up_where_nothing_is_in_doubt(office: Office) -> None:
    await office.put(a_post(), a_reply("evidence"))
    await office.run(5)
    assert "find" not in office.chat.calls, "reading histories is the first thing that Slack slows down"


async def test_a_storm_killed_again_and_again(office: Office) -> None:
    chance, killed, recorded = random.Random(11), 0, 0

    def hook(what: str) -> None:
        if chance.random() < 0.45:
            raise KilledError

    office.chat.hook = hook
    while killed < KILLS:
        number, recorded = recorded % 40, recorded + 1
        root = f"incident/prod/{number}"
        await office.put(a_post(root, f"state {recorded}"), a_reply(f"line {recorded}", root))
        try:
            await office.run(2, 2)
        except KilledError:
            killed += 1
            office.restarted()
    office.chat.hook = lambda what: None
    office.restarted()
    await office.run(3 * recorded + 120, 1.5)
    said = Counter(one.key for one in office.chat.messages.values())
    assert set(said.values()) == {1}, "nothing twice"
    assert len(said) == recorded + min(40, recorded), "nothing lost"
    keys = {ts: one.key for ts, one in office.chat.messages.items()}
    for one in office.chat.messages.values():
        if one.thread_ts:
            assert one.key.startswith(f"{keys[one.thread_ts]}/")
    lines = [
        int(one.text.split()[1]) for one in office.chat.messages.values() if one.key.startswith("incident/prod/7/")
    ]
    assert lines == sorted(lines)
    last = max(number for number in range(1, recorded + 1) if (number - 1) % 40 == 7)
    assert f"state {last}" in office.chat.texts()


async def test_two_replicas_at_once_say_it_once(office: Office) -> None:
    await office.put(*(a_post(f"k{number}") for number in range(5)))
    first = office.poster
    office.restarted()
    for _ in range(30):
        await asyncio.gather(first.step(), office.poster.step())
        office.clock.forward(1)
    assert Counter(one.key for one in office.chat.messages.values()) == {f"k{number}": 1 for number in range(5)}
