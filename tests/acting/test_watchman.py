"""gpubot is blind: it says so once, in Slack or by the second channel, and says when it sees again."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from bot.acting.blindness import SLACK, STORE, Blind, Heard, blind, news
from bot.acting.watchman import Watchman
from bot.domain.errors import ChatError, UpstreamError
from tests.acting.building import Clock, FakePosts
from tests.factories import NOW

SERVER = "the API server of prod"


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("heard", "wanted"),
    [
        pytest.param(Heard("a", 60, ago(59)), [], id="a short silence is none"),
        pytest.param(Heard("a", 60, ago(61)), [ago(61)], id="a long one is"),
        pytest.param(Heard("a", 60, None), [ago(300)], id="what was never heard counts from the start"),
        pytest.param(Heard("a", 600, None), [], id="and has its time, too"),
    ],
)
def test_when_it_is_blind(heard: Heard, wanted: list[datetime]) -> None:
    assert [one.since for one in blind([heard], ago(300), NOW).values()] == wanted


def test_what_began_is_said_once_and_again_when_it_is_over() -> None:
    one = Blind("prod", ago(300), "timed out", "Nothing new is seen.")
    (began,) = news({}, {"prod": one}, NOW)
    assert began.text == "I hear nothing from prod since 11:55 UTC (timed out). Nothing new is seen."
    assert news({"prod": one}, {"prod": one}, NOW) == ()
    (over,) = news({"prod": one}, {}, NOW)
    assert over.text == "I hear prod again. It was silent since 11:55 UTC, for 5 min."


@dataclass
class FakeSecond:
    said: list[tuple[str, bool]] = field(default_factory=list)
    broken: bool = False

    async def say(self, source: str, text: str, *, firing: bool, since: datetime) -> None:
        if self.broken:
            raise ChatError("out of reach", retryable=True)
        self.said.append((source, firing))


class AwayPosts(FakePosts):
    async def put(self, posts: object, now: datetime) -> None:
        raise UpstreamError("no database", retryable=True)


@dataclass
class Tower:
    """A watchman; `silent` are the sources of which nothing is heard from now on."""

    clock: Clock
    posts: FakePosts
    second: FakeSecond
    silent: dict[str, datetime] = field(default_factory=dict)
    man: Watchman = field(init=False)

    def __post_init__(self) -> None:
        self.man = self.made()

    def made(self, channel: str = "C0BOT") -> Watchman:
        return Watchman(self._listen, self.clock, posts=self.posts, channel=channel, second=self.second)

    async def _listen(self) -> list[Heard]:
        return [Heard(one, 60, self.silent.get(one, self.clock.time)) for one in (SERVER, SLACK, STORE)]

    async def goes(self, source: str) -> None:
        self.silent[source] = self.clock.time
        await self.later()

    async def later(self, seconds: float = 90) -> None:
        self.clock.time += timedelta(seconds=seconds)
        await self.man.look()

    async def back(self, source: str) -> None:
        del self.silent[source]
        await self.later(10)

    @property
    def texts(self) -> list[str]:
        return [post.text for post in self.posts.history]


@pytest.fixture
def tower() -> Tower:
    return Tower(Clock(), FakePosts(), FakeSecond())


async def test_a_cluster_is_told_in_slack_alone_in_one_message(tower: Tower) -> None:
    await tower.goes(SERVER)
    await tower.later()
    await tower.back(SERVER)
    assert [text.split(" since")[0] for text in tower.texts] == [
        f"I hear nothing from {SERVER}",
        f"I hear {SERVER} again. It was silent",
    ]
    assert len(tower.posts.standing) == 1, "edited in place"
    assert tower.second.said == []
    assert not tower.man.mute


async def test_slack_is_told_elsewhere_and_in_slack_when_it_is_back(tower: Tower) -> None:
    await tower.goes(SLACK)
    assert tower.second.said == [(SLACK, True)]
    assert tower.man.mute, "nobody should hear a heartbeat now"
    await tower.goes(SERVER)
    assert tower.second.said[-1] == (SERVER, True), "what Slack cannot tell now"
    await tower.back(SLACK)
    await tower.back(SERVER)
    assert tower.second.said[2:] == [(SLACK, False), (SERVER, False)], "what began there ends there"
    assert any(text.startswith("I hear Slack again") for text in tower.texts)


async def test_a_second_channel_that_is_away_is_tried_again(tower: Tower) -> None:
    tower.second.broken = True
    await tower.goes(SLACK)
    await tower.later()
    tower.second.broken = False
    await tower.later()
    assert tower.second.said == [(SLACK, True)]


async def test_without_a_channel_everything_goes_to_the_second(tower: Tower) -> None:
    tower.man = tower.made(channel="")
    await tower.goes(SERVER)
    await tower.back(SERVER)
    assert tower.second.said == [(SERVER, True), (SERVER, False)]
    assert tower.texts == []


async def test_a_store_that_is_away_stops_nobody(tower: Tower) -> None:
    tower.posts = AwayPosts()
    tower.man = tower.made()
    await tower.goes(STORE)
    assert tower.second.said == [(STORE, True)]
