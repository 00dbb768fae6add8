"""Storms: more new groups at once than anybody can read are told in one digest; the first of them have their threads.

The others are incidents like all: listed, taken, resolved. They get a thread of their own when somebody takes them.
"""

from datetime import timedelta

from bot.alerts.stage import Round, Stage
from bot.domain.alert_state import Kind, Storm
from bot.domain.words import count

QUIET = "storm"


def run(round_: Round) -> None:
    rules = round_.rules
    since = round_.now - timedelta(seconds=rules.storm_seconds)
    new = [number for number in round_.fresh if number not in round_.before]
    lately = [one for one in round_.opened if one > since]
    round_.opened = (*lately, *[round_.now] * len(new))
    surplus = len(round_.opened) - rules.storm_groups
    if new and (surplus > 0 or _blows(round_)):
        _digest(round_, new if _blows(round_) else new[-min(surplus, len(new)) :])
    elif _blows(round_):
        _ends(round_)


def _blows(round_: Round) -> bool:
    return round_.storm is not None and round_.storm.ended_at is None


def _digest(round_: Round, numbers: list[int]) -> None:
    """They have no thread, and stand in the digest."""
    for number in numbers:
        round_.set_group(number, quiet=QUIET)
    storm = round_.storm
    if storm is None or storm.ended_at is not None:
        storm = Storm(number=numbers[0], began_at=round_.now, last_at=round_.now)
        round_.say(Kind.STORM, f"{count(len(round_.opened), 'new incident')} at once", number=numbers[0])
    members = (*storm.members, *numbers)
    round_.storm = Storm(number=storm.number, began_at=storm.began_at, last_at=round_.now, members=members)


def _ends(round_: Round) -> None:
    storm = round_.storm
    if storm is None or round_.now - storm.last_at < timedelta(seconds=round_.rules.storm_over_seconds):
        return
    round_.storm = Storm(
        number=storm.number,
        began_at=storm.began_at,
        last_at=storm.last_at,
        members=storm.members,
        ended_at=round_.now,
    )
    round_.say(Kind.STORM, "no more new incidents", number=storm.number)


STAGE = Stage("storm digest", run, __doc__ or "")
