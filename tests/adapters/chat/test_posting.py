"""From a record to a message: once, in order, no faster than Slack takes it."""

import itertools
from collections.abc import Callable
from datetime import timedelta

from bot.adapters.chat.trouble import ChatTroubleError, Trouble
from bot.domain.posting import Lag
from tests.adapters.chat.building import a_post, a_reply
from tests.adapters.chat.conftest import Office


async def test_what_is_recorded_is_said(office: Office) -> None:
    await office.put(a_post())
    await office.run(1)
    assert office.chat.texts() == ["it burns"]


async def test_said_again_it_is_not_said_again(office: Office) -> None:
    for _ in range(3):
        await office.put(a_post(), a_reply("evidence"))
        await office.run(5)
    assert office.chat.texts() == ["it burns", "evidence"]
    assert office.chat.calls == ["post", "post"]


async def test_a_root_is_edited_in_place_and_a_reply_stays(office: Office) -> None:
    await office.put(a_post(), a_reply("evidence"))
    await office.run(3)
    await office.put(a_post(text="it is out"), a_post("incident/prod/1/evidence", "changed", thread="incident/prod/1"))
    await office.run(5)
    assert office.chat.texts() == ["it is out", "evidence"]


async def test_edits_that_come_fast_are_one_edit(office: Office) -> None:
    await office.put(a_post())
    await office.run(1)
    for number in range(40):
        await office.put(a_post(text=f"{number} % done"))
        await office.run(0.5)
    await office.run(4)
    assert office.chat.texts() == ["39 % done"]
    assert office.chat.calls.count("edit") <= 8, "at most one in three seconds"


async def test_what_was_changed_back_in_time_is_not_edited(office: Office) -> None:
    await office.put(a_post())
    await office.run(1)
    await office.put(a_post(text="worse"))
    await office.put(a_post())
    await office.run(5)
    assert office.chat.calls == ["post"]


async def test_a_thread_is_said_in_its_order_after_its_root(office: Office) -> None:
    replies = [a_reply(f"line {number}") for number in range(5)]
    await office.put(*replies[:2])  # recorded before their root: nothing to wait for is known yet
    await office.put(a_post("incident/prod/2", "another"), a_post(), *replies[2:])
    await office.run(20)
    inside = [one.text for one in office.chat.messages.values() if one.key.startswith("incident/prod/1/")]
    assert inside == [f"line {number}" for number in range(5)]
    root = next(ts for ts, one in office.chat.messages.items() if one.key == "incident/prod/1")
    assert [one.thread_ts for one in office.chat.messages.values() if one.text in ("line 3", "line 4")] == [root] * 2


async def test_a_reply_that_fails_keeps_those_behind_it_waiting(office: Office) -> None:
    await office.put(a_post())
    await office.run(2)
    await office.put(a_reply("first"), a_reply("second"))
    office.chat.hook = fails_once()
    await office.run(60)
    assert office.chat.texts() == ["it burns", "first", "second"]


def fails_once() -> Callable[[str], None]:
    left = [1]

    def hook(what: str) -> None:
        if what == "post" and left[0]:
            left[0] -= 1
            raise ChatTroubleError(Trouble.OTHER, "something_new")

    return hook


async def test_a_storm_is_told_at_one_message_a_second_and_channel(office: Office) -> None:
    await office.put(*(a_post(f"incident/prod/{number}", f"n{number}") for number in range(60)))
    await office.put(*(a_post(f"other/{number}", f"o{number}", channel="C0DEV") for number in range(10)))
    await office.run(30)
    for channel, least in (("C0OPS", 24), ("C0DEV", 10)):
        times = [one.at for one in office.chat.messages.values() if one.channel == channel]
        assert len(times) >= least, "a busy channel does not hold up another one"
        gaps = [(after - before).total_seconds() for before, after in itertools.pairwise(times)]
        assert min(gaps) >= 1


async def test_what_is_urgent_goes_before_what_waits(office: Office) -> None:
    await office.put(*(a_post(f"digest/{number}", f"d{number}") for number in range(10)))
    await office.put(a_post(urgent=True))
    await office.run(3)
    assert office.chat.texts()[0] == "it burns"


async def test_edits_of_urgent_posts_do_not_starve_others(office: Office) -> None:
    await office.put(*(a_post(f"incident/prod/{number}", "0", urgent=True) for number in range(10)))
    await office.run(20)
    await office.put(a_post("digest", "a digest"))
    for moment in range(10):
        await office.put(*(a_post(f"incident/prod/{number}", f"{moment}.", urgent=True) for number in range(10)))
        await office.run(2)
    assert "a digest" in office.chat.texts()


async def test_the_lag_is_told(office: Office) -> None:
    await office.put(a_post(), a_post("b"))
    office.clock.forward(30)
    assert await office.box.lag(office.clock.now) == Lag(waiting=2, oldest_seconds=30)
    await office.run(5)
    assert await office.box.lag(office.clock.now) == Lag()


async def test_old_threads_are_forgotten_as_a_whole(office: Office) -> None:
    await office.put(a_post(), a_reply("evidence"), a_post("b"))
    await office.run(5)
    office.clock.forward(86_400 * 6)
    await office.put(a_reply("late"))
    await office.run(5)
    office.clock.forward(86_400 * 2)
    assert await office.box.prune(office.clock.now, days=7) == 2, "b, and the old reply of a thread that goes on"
    assert await office.box.get("incident/prod/1") is not None
    office.clock.forward(86_400 * 6)
    await office.box.prune(office.clock.now, days=7)
    await office.box.prune(office.clock.now, days=7)
    assert await office.box.get("incident/prod/1") is None


async def test_what_waits_is_never_forgotten(office: Office) -> None:
    await office.put(a_post())
    assert await office.box.prune(office.clock.now + timedelta(days=900), days=7) == 0
