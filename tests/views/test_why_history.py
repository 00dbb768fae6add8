"""What is remembered of a waiting pod: `Before` where its reason has changed, `How long` always."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot.domain.history import NO_RUNS, UNSEEN, History, Run, Spell, Wait
from bot.views import why_history
from tests.factories import NOW, owned_by
from tests.why.builders_fleet import Remembering, a_fleet, a_waiting, ask, h200s

POD = a_waiting(owner=owned_by("Job", "train"))


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


def history(*reasons: tuple[str, float], runs: tuple[float, ...] = (), longer: int = 0) -> History:
    """The pod's reasons, each with the minutes ago when it began; runs by how many minutes they waited."""
    ends: list[datetime | None] = [*(ago(minutes) for _, minutes in reasons[1:]), None]
    spells = tuple(
        Spell(reason, f"It waits: {reason}.", ago(minutes), end)
        for (reason, minutes), end in zip(reasons, ends, strict=False)
    )
    wait = Wait(
        uid=POD.uid,
        namespace="llm",
        name="glm-0",
        owner="Job/train",
        gpus=8,
        pending_since=ago(130),
        seen_at=ago(130),
        spells=spells,
        opened=len(spells),
    )
    done = tuple(Run("llm", "Job/train", ("resources.fragmented",), 60 * waited, ago(1_000)) for waited in runs)
    return History(
        cluster="prod-a",
        waits={POD.uid: wait} if reasons else {},
        runs={(8, ""): done} if done else NO_RUNS,
        since=ago(20_000),
    )


SHOWN = [
    (history(("quota.exceeded", 130), ("resources.fragmented", 40)), "Before: 1 h 30 min quota exceeded, then 40 min resources fragmented.", "two reasons"),
    (history((UNSEEN, 130), ("unknown", 100), ("taint", 5)), "Before: 30 min nobody watched, then 1 h 35 min no reason found, then 5 min taint.", "time that nobody watched, and no reason"),
]  # fmt: skip


@pytest.mark.parametrize(("kept", "line"), [pytest.param(*row[:2], id=row[2]) for row in SHOWN])
def test_earlier_reasons_are_told(kept: History, line: str) -> None:
    assert line in answer(kept)


def test_one_reason_is_no_history() -> None:
    assert "Before" not in answer(history(("taint", 130)))


def test_how_long_is_a_range_where_enough_have_run() -> None:
    text = answer(history(("taint", 130), runs=(5, 10, 20, 40, 80)))
    assert "How long: half of the 5 pods of this owner waited" in text


def test_how_long_is_not_guessed_from_too_few() -> None:
    assert "How long: cannot be known, because" in answer(history(("taint", 130), runs=(5,)))
    assert "How long: cannot be known, because" in answer(history())


def test_a_pod_that_does_not_wait_has_no_lines() -> None:
    cluster = replace(a_fleet(a_waiting(node="gpu-1"), *h200s(8)), history=Remembering(history(("taint", 130))))
    assert "How long" not in ask("why glm-0", cluster).answer.text


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("resources.used-up", "resources used up"),
        ("kueue.no-quota", "kueue no quota"),
        (UNSEEN, "nobody watched"),
        ("unknown", "no reason found"),
    ],
)
def test_a_reason_is_said_in_words(reason: str, words: str) -> None:
    assert why_history.words(reason) == words


def answer(kept: History) -> str:
    cluster = replace(a_fleet(POD, *h200s(0)), history=Remembering(kept))
    return ask("why glm-0", cluster).answer.text
