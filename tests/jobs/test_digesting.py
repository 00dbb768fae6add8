"""Digests come at their times, once, and not at all where there is nothing to say."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bot.acting.incidents.digesting import Digests
from bot.acting.incidents.sweeper import Sweeper
from bot.domain.gpu_reading import GpuReading, NodeReading
from bot.domain.posting import Post
from bot.incidents.usage import Usage
from bot.jobs import digesting
from bot.jobs.job import Services
from config.alerts import due
from tests.alerts.building import RULES
from tests.commands.incident_lines import a_cluster, watched
from tests.factories import NOW, a_pod, a_view

MORNING = datetime(2026, 12, 1, 7, 3, tzinfo=UTC)  # a Tuesday; 08:03 in Berlin


class Outbox:
    """A Posts that knows keys, as the real one does."""

    def __init__(self) -> None:
        self.posts: dict[str, Post] = {}

    async def put(self, posts: Sequence[Post], now: datetime) -> None:
        self.posts |= {post.key: post for post in posts}


def a_service(now: datetime, *, quiet: bool = False) -> tuple[Services, Outbox]:
    watch, outbox = watched(), Outbox()
    cluster = a_cluster(watch)
    assert cluster.incidents is not None
    if quiet:
        cluster.incidents.books["prod"] = type(watch.book)(cluster="prod")  # type: ignore[attr-defined]  # the stand-in
    sweeper = Sweeper(cluster.incidents, RULES, lambda: now)  # type: ignore[arg-type]  # it is the store as well
    daily, weekly = (due("Mon-Fri 08:00 Europe/Berlin"),), (due("Mon 08:05 Europe/Berlin"),)
    digests = Digests(outbox, "C0OPS", daily, weekly)
    services = Services({"prod": cluster}, None, lambda: now, 90, sweeper=sweeper, digests=digests)  # type: ignore[arg-type]
    return services, outbox


@pytest.mark.parametrize(
    ("now", "keys"),
    [
        pytest.param(MORNING, ["digest/prod/day/2026-12-01"], id="in the minutes after its time"),
        pytest.param(MORNING - timedelta(minutes=4), [], id="before"),
        pytest.param(MORNING + timedelta(hours=1), [], id="long after"),
        pytest.param(MORNING + timedelta(days=4), [], id="on a Saturday"),
        pytest.param(
            MORNING + timedelta(days=6, minutes=4),
            ["digest/prod/day/2026-12-07", "digest/prod/week/2026-12-07"],
            id="on a Monday",
        ),
    ],
)
async def test_when_it_comes(now: datetime, keys: list[str]) -> None:
    services, outbox = a_service(now)
    await digesting.run(services)
    await digesting.run(services)
    assert list(outbox.posts) == keys


async def test_nothing_to_say_says_nothing() -> None:
    services, outbox = a_service(MORNING, quiet=True)
    await digesting.run(services)
    assert outbox.posts == {}


@pytest.mark.parametrize("text", ["08:00", "Mon 25:00 UTC", "Xyz 08:00 UTC", "Mon 08:00 Nowhere/City", "now"])
def test_a_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no (time|window)"):
        due(text)


def test_use_is_summed_by_what_agents_tell() -> None:
    usage, view = Usage(), a_view(a_pod("nb-0", namespace="dev"))
    busy = GpuReading(index=0, utilization_gpu_percent=80, pods=("llm/glm-0",))
    idle = GpuReading(index=1, utilization_gpu_percent=0, pods=("dev/nb-0",))
    unread = GpuReading(index=2)
    for minute in range(61):
        usage.add([NodeReading(node="gpu-1", gpus=(busy, idle, unread))], view, NOW + timedelta(minutes=minute))
    told = usage.of(NOW)
    assert told.mean == pytest.approx(0.4)
    assert told.idle_hours == (("dev/nb-0", pytest.approx(1.0)),)
    assert Usage().of(NOW).mean is None
