"""A storm: 750 incidents at once, each a root with evidence, and all of them end while the first are still told."""

import itertools
from collections import defaultdict
from datetime import datetime

from tests.adapters.chat.building import a_post, a_reply
from tests.adapters.chat.conftest import Office

ROOTS = 750
CHANNELS = ("C0OPS", "C0LLM", "C0DEV")


async def test_750_roots_in_one_channel_at_one_message_a_second(office: Office) -> None:
    await office.put(*(a_post(f"incident/prod/{number}", f"n{number}") for number in range(ROOTS)))
    await office.run(ROOTS * 1.1, 1.1)
    assert office.chat.texts() == [f"n{number}" for number in range(ROOTS)], "in the order in which they came"
    assert len(office.chat.calls) == ROOTS, "each is said with one call"
    _kept_pace(office)


async def test_threads_over_channels_that_end_while_they_are_told(office: Office) -> None:
    places = {number: CHANNELS[number % 3] for number in range(90)}
    roots = [a_post(f"incident/prod/{number}", "burns", channel=channel) for number, channel in places.items()]
    replies = [a_reply("evidence", root.key, channel=root.channel) for root in roots]
    await office.put(*roots, *replies)
    await office.run(33, 1.1)
    await office.put(
        *(a_post(root.key, "is out", channel=root.channel) for root in roots),
        *(a_reply("over", root.key, channel=root.channel) for root in roots),
    )
    await office.run(260, 1.1)
    for root in roots:
        thread = [
            one for one in office.chat.messages.values() if one.key.startswith(f"{root.key}/") or one.key == root.key
        ]
        assert [one.text for one in thread] == ["is out", "evidence", "over"]
        assert len({one.channel for one in thread}) == 1
    _kept_pace(office)


def _kept_pace(office: Office) -> None:
    times: dict[str, list[datetime]] = defaultdict(list)
    for one in office.chat.messages.values():
        times[one.channel].append(one.at)
    for those in times.values():
        assert min((after - before).total_seconds() for before, after in itertools.pairwise(those)) >= 1
