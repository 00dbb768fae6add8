"""`/model bench` from the typed line to what is kept: who may, what is recorded, what is compared."""

from dataclasses import dataclass, field, replace

import pytest

from bot.acting import benching
from bot.acting.actor import Doing
from bot.domain.audit import Happened
from bot.domain.bench import Bench, Load, Point, RunBench
from bot.domain.errors import ForbiddenError, UpstreamError, UserError
from bot.domain.person import Access, Asker
from bot.views.text import render
from commands.model_bench import run
from tests.access.building import BEN, NOW, a_person
from tests.fakes.changes import MemoryChanges
from tests.views.model_scenes import request, three, window

OPERATOR, READER = a_person(BEN), a_person(BEN, Access.READ)


@dataclass
class Loads:
    """Measures nothing; what it was asked for."""

    sent: list[Load] = field(default_factory=list)

    async def measure(self, load: Load) -> tuple[str, tuple[Point, ...]]:
        self.sent.append(load)
        return "direct", tuple(
            Point(concurrency=at, requests=at, seconds=10.0, tokens=300 * at, first_token=(0.2, 0.4), whole=(2.0, 3.0))
            for at in load.concurrencies
        )


@dataclass
class Kept:
    benches: list[Bench] = field(default_factory=list)
    trouble: str = ""

    async def keep(self, bench: Bench) -> None:
        if self.trouble:
            raise UpstreamError(self.trouble, retryable=True)
        self.benches.append(bench)

    async def last(self, cluster: str, workload: str) -> Bench | None:
        found = [one for one in self.benches if (one.cluster, one.workload) == (cluster, workload)]
        return found[-1] if found else None


async def done(loads: Loads, kept: Kept | None, changes: MemoryChanges, asker: Asker = OPERATOR) -> str:
    asked = request(three(), "glm", windows={"glm-abc-0": window(waiting=0), "glm-abc-1": window(waiting=0)})
    (intent,) = run(asked).intents
    assert isinstance(intent, RunBench)
    doing = Doing(asker, asked.cluster, lambda: NOW, changes, loader=loads, benches=kept)
    return render(await benching.ACTOR.act(intent, doing))


async def test_it_is_measured_told_recorded_and_kept() -> None:
    loads, kept, changes = Loads(), Kept(), MemoryChanges()
    shown = await done(loads, kept, changes)
    assert "480 tokens/s with 16 at once" in shown
    assert "there is no measurement before" in shown
    assert [row.event.what for row in await changes.audit_rows()] == [Happened.MEASURED]
    [one] = kept.benches
    assert (one.by, one.at, one.way) == (OPERATOR.id, NOW, "direct")
    assert loads.sent[0].requests <= 200
    assert loads.sent[0].seconds <= 60


async def test_the_one_before_is_compared_with() -> None:
    kept, changes = Kept(), MemoryChanges()
    await done(Loads(), kept, changes)
    slower = tuple(replace_tokens(point, point.tokens // 2) for point in kept.benches[0].points)
    kept.benches[0] = Bench(**{**as_dict(kept.benches[0]), "points": slower, "version": "0.30.0"})
    shown = await done(Loads(), kept, changes)
    assert "+100 % against the measurement before" in shown
    assert "with version 0.30.0" in shown


async def test_who_may_only_read_sends_nothing_and_that_is_recorded() -> None:
    loads, changes = Loads(), MemoryChanges()
    with pytest.raises(ForbiddenError, match="operator"):
        await done(loads, Kept(), changes, READER)
    assert loads.sent == []
    assert [row.event.what for row in await changes.audit_rows()] == [Happened.REFUSED]


async def test_without_a_record_nothing_is_sent() -> None:
    loads = Loads()
    asked = request(three(), "glm busy", windows={})
    (intent,) = run(replace(asked, words=("glm",), options={"busy": "yes"})).intents
    assert isinstance(intent, RunBench)
    with pytest.raises(UserError, match="no record"):
        await benching.ACTOR.act(intent, Doing(OPERATOR, asked.cluster, lambda: NOW, None, loader=loads))
    assert loads.sent == []


async def test_what_was_measured_is_told_even_where_it_cannot_be_kept() -> None:
    shown = await done(Loads(), Kept(trouble="the disk is full"), MemoryChanges())
    assert "480 tokens/s" in shown
    assert "not kept for comparison: the disk is full" in shown


def as_dict(bench: Bench) -> dict[str, object]:
    return {name: getattr(bench, name) for name in bench.__struct_fields__}


def replace_tokens(point: Point, tokens: int) -> Point:
    return Point(concurrency=point.concurrency, requests=point.requests, seconds=point.seconds, tokens=tokens)
