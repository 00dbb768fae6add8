"""What is kept of engines: a bounded window of each, nothing of those that are gone, nobody asked twice at once."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import pytest

from bot.adapters.engines.keeper import EngineKeeper
from bot.domain.engine import EngineReading
from bot.domain.engine_told import Said
from bot.domain.engine_window import KEPT
from bot.domain.pod import Container, Pod
from bot.serving.engine_pods import Hint
from tests.factories import NOW, a_pod, a_view

VLLM = (Container("vllm", "vllm/vllm-openai:v0.33.0"),)


def engine(name: str, **changed: object) -> Pod:
    return a_pod(name, **({"uid": f"uid-{name}", "containers": VLLM} | changed))


class Engines:
    """Each makes 100 tokens a second; `silent` says why some do not answer."""

    def __init__(self) -> None:
        self.at = NOW
        self.silent: dict[str, str] = {}
        self.asked: list[list[str]] = []
        self.at_once = self.most = 0

    def now(self) -> datetime:
        return self.at

    async def read(self, pods: Sequence[Pod]) -> Mapping[str, Said]:
        self.asked.append([pod.name for pod in pods])
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        made = 100 * (self.at - NOW).total_seconds()
        reading = EngineReading(taken_at=self.at, engine="vllm", running=1.0, generated_tokens=made)
        return {pod.uid: self.silent.get(pod.name, reading) for pod in pods}


def a_keeper(*pods: Pod, hints: tuple[Hint, ...] = ()) -> tuple[EngineKeeper, Engines]:
    engines = Engines()
    keeper = EngineKeeper(engines.now, hints=hints)
    keeper.add("prod", a_view(*pods), engines)
    return keeper, engines


async def rounds(keeper: EngineKeeper, engines: Engines, number: int, seconds: float = 15) -> None:
    for _ in range(number):
        await keeper.read("prod")
        engines.at += timedelta(seconds=seconds)


async def test_windows_are_bounded_however_long_it_runs() -> None:
    keeper, engines = a_keeper(engine("glm-0"))
    await rounds(keeper, engines, 300)
    window = keeper.window("prod", "uid-glm-0")
    assert window is not None
    assert len(window.readings) == KEPT
    assert window.seconds > 400, "some minutes are kept, thinned out"
    assert [step.seconds for step in window.steps()][:8] == [15.0] * 8, "the last two minutes in full"
    assert keeper.latest("prod", "uid-glm-0") is window.last


async def test_those_that_are_gone_are_forgotten() -> None:
    keeper, engines = a_keeper(engine("glm-0"), engine("glm-1"))
    await rounds(keeper, engines, 2)
    keeper._kept["prod"].view.take("pods", "llm/glm-1")
    await rounds(keeper, engines, 1)
    assert keeper.window("prod", "uid-glm-1") is None
    assert list(keeper.told("prod") or {}) == ["uid-glm-0"]


async def test_one_that_falls_silent_keeps_its_past_and_says_why() -> None:
    keeper, engines = a_keeper(engine("glm-0"))
    await rounds(keeper, engines, 3)
    engines.silent["glm-0"] = "no answer within 2 s"
    await rounds(keeper, engines, 1)
    told = (keeper.told("prod") or {})["uid-glm-0"]
    assert (told.trouble, len(told.window.readings)) == ("no answer within 2 s", 3)
    assert told.fresh(NOW + timedelta(seconds=120))
    assert not told.fresh(NOW + timedelta(seconds=121))


@pytest.mark.parametrize(
    ("pod", "asked"),
    [
        pytest.param(engine("glm-0"), True, id="an engine that runs"),
        pytest.param(engine("glm-0", phase="Pending"), False, id="one that waits"),
        pytest.param(engine("glm-0", deleted="2026-11-30T12:00:00Z"), False, id="one that is leaving"),
        pytest.param(engine("glm-0", containers=(Container("main", "nginx:1"),)), False, id="no engine"),
        pytest.param(
            engine("glm-0", containers=(Container("r", "lmsysorg/sglang-router:1"),)),
            False,
            id="a router in front of them",
        ),
        pytest.param(
            engine("glm-0", labels={"leaderworkerset.sigs.k8s.io/worker-index": "1"}), False, id="a worker of a group"
        ),
        pytest.param(
            engine("glm-0", containers=(Container("main", "ours:7"),), labels={"app": "ours"}),
            True,
            id="one of the settings",
        ),
    ],
)
async def test_who_is_asked(pod: Pod, asked: bool) -> None:
    keeper, engines = a_keeper(pod, hints=(Hint({"app": "ours"}),))
    await keeper.read("prod")
    assert engines.asked == ([["glm-0"]] if asked else [])
    assert keeper.told("prod") is not None


async def test_nobody_is_asked_twice_at_once_or_within_seconds() -> None:
    keeper, engines = a_keeper(engine("glm-0"))
    await asyncio.gather(*(keeper.read("prod") for _ in range(3)))
    assert (engines.most, len(engines.asked)) == (1, 1)
    assert not keeper.due("prod")
    engines.at += timedelta(seconds=15)
    assert keeper.due("prod")


async def test_before_the_first_round_nothing_is_known() -> None:
    keeper, _ = a_keeper(engine("glm-0"))
    assert (keeper.told("prod"), keeper.window("prod", "uid-glm-0"), keeper.tokens("prod")) == (None, None, None)
    assert keeper.told("another") is None
    assert not keeper.due("another")


async def test_tokens_are_those_of_its_best_time() -> None:
    keeper, engines = a_keeper(engine("glm-0"))
    await rounds(keeper, engines, 3)
    assert keeper.tokens("prod") == {"llm/glm-0": 100.0}
