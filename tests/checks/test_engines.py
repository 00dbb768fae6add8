"""Engines by what they do: what hangs, what only seems to, and what their people read then."""

from datetime import timedelta
from typing import Any

import pytest

from bot.checks.collect import checks
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, State
from bot.checks.run import run
from bot.domain.engine import Rank
from bot.domain.engine_told import EngineTold
from bot.domain.engine_window import EngineWindow
from tests.checks.engines import (
    READINGS,
    UNREADY,
    a_scene,
    an_engine,
    growing,
    histogram,
    reading,
    stuck,
    unreachable,
    window,
)
from tests.factories import NOW, a_node, a_view

HANGS = "engine.no_tokens"


def findings(scene: EngineScene, check: str = HANGS) -> list[Finding]:
    return run(scene, [one for one in checks() if one.id == check])


def fires(scene: EngineScene, check: str = HANGS) -> bool:
    return any(one.state is State.FIRING for one in findings(scene, check))


def ranks(since: int) -> Any:
    """Two ranks: one stands still from that step on, the other goes on."""

    def changed(step: int) -> dict[str, Any]:
        one = Rank(name="0", running=2.0, progress=5_000.0 * step)
        other = Rank(name="1", running=2.0, progress=5_000.0 * min(step, since))
        return {"ranks": (one, other)}

    return changed


@pytest.mark.parametrize(
    ("scene", "hangs"),
    [
        pytest.param(a_scene(stuck(16)), True, id="requests run and no token comes for a minute"),
        pytest.param(a_scene(stuck(17)), False, id="45 seconds are no minute"),
        pytest.param(a_scene(stuck(16, running=0.0, waiting=3.0)), True, id="requests only wait, and nothing happens"),
        pytest.param(a_scene(stuck(10, running=0.0, waiting=0.0)), False, id="an idle engine is well"),
        pytest.param(a_scene(stuck(10, sleeping=True)), False, id="one that was put to sleep is well"),
        pytest.param(
            a_scene(lambda step: {"generated_tokens": 1e6, "prompt_tokens": 4e6}), False, id="a long prompt is computed"
        ),
        pytest.param(
            a_scene(lambda step: {"generated_tokens": None, "prompt_tokens": None, "iterations": 7.0}),
            True,
            id="one that counts steps only, and makes none",
        ),
        pytest.param(
            a_scene(lambda step: {"generated_tokens": None, "prompt_tokens": None, "iterations": None}),
            False,
            id="one that tells neither is not judged",
        ),
        pytest.param(a_scene(ranks(16)), True, id="one of two ranks stands still"),
        pytest.param(a_scene(ranks(READINGS)), False, id="both ranks go on"),
        pytest.param(a_scene(stuck(16), pod=an_engine(conditions=(UNREADY,))), True, id="it lost its Ready as well"),
    ],
)
def test_what_hangs(scene: EngineScene, hangs: bool) -> None:
    assert fires(scene) == hangs


@pytest.mark.parametrize(
    ("seconds_before", "allowed"),
    [pytest.param(720, True, id="12 minutes are over"), pytest.param(705, False, id="kernels may compile until then")],
)
def test_the_first_token_of_all_may_take_as_long_as_kernels_compile(seconds_before: int, allowed: bool) -> None:
    """240 s, and 60 s for each of eight GPUs."""
    none = {"generated_tokens": 0.0, "prompt_tokens": 0.0, "iterations": 0.0}
    times = [NOW - timedelta(seconds=ago) for ago in range(seconds_before, -1, -45)]
    told = EngineTold(EngineWindow(tuple(reading(0, taken_at=at, **none) for at in times)))
    engine = an_engine()
    assert fires(EngineScene(a_view(a_node(), engine), engine, told, times[-1])) == allowed


@pytest.mark.parametrize(
    ("slowest", "hangs"),
    [
        pytest.param(histogram(0, 0, 0, 1000), True, id="its first tokens came within a second"),
        pytest.param(histogram(0, 0, 0, 0, 0, 0, 1000), True, id="slower than 20 s is not told apart"),
    ],
)
def test_without_steps_its_own_prefills_say_how_long_it_may_be_silent(slowest: Any, hangs: bool) -> None:
    assert fires(a_scene(stuck(16, iterations=None, ttft=slowest, engine="sglang"))) == hangs


def test_what_is_told_of_a_hang() -> None:
    pod = an_engine(labels={"leaderworkerset.sigs.k8s.io/name": "glm"})
    (found,) = findings(a_scene(stuck(12, waiting=9.0), pod=pod))
    assert found.sentence == "llm/glm-0 hangs: no token for 2 min with 4 requests running and 9 waiting"
    assert found.evidence == (
        "9 readings since 11:58:00 UTC, 5,054,000 tokens in each",
        "200,720 steps in each: it does not compute a long prompt either",
        "KV cache 40% used",
        "its pod is Ready",
    )
    assert [one.command for one in found.remedies] == [
        "kubectl -n llm logs glm-0 -c vllm",
        "kubectl -n llm delete pod glm-0",
    ]
    assert "its whole group starts anew" in found.remedies[1].action
    assert found.remedies[1].cost == "the 4 requests that it has, and the time to load the model"
    assert found.at == NOW - timedelta(seconds=120)


@pytest.mark.parametrize(
    ("scene", "state"),
    [
        pytest.param(a_scene(readings=1), State.UNKNOWN, id="one reading shows requests and no rate"),
        pytest.param(
            a_scene(lambda step: {"running": 0.0}, readings=1), State.OK, id="one reading shows an idle engine"
        ),
        pytest.param(a_scene(asked=False), State.UNKNOWN, id="nobody asked it"),
        pytest.param(unreachable(), State.UNKNOWN, id="it did not answer"),
        pytest.param(
            a_scene(readings=0, trouble="nothing listens", pod=an_engine(conditions=(UNREADY,))),
            State.OK,
            id="one that loads does not listen yet",
        ),
    ],
)
def test_what_can_be_known(scene: EngineScene, state: State) -> None:
    assert [one.state for one in findings(scene)] == [state]


def test_old_readings_say_nothing_of_now() -> None:
    engine = an_engine()
    told = EngineTold(window(stuck(10)), "no answer within 2 s")
    scene = EngineScene(a_view(a_node(), engine), engine, told, NOW + timedelta(seconds=91))
    (found,) = findings(scene)
    assert (found.state, found.missing) == (State.UNKNOWN, ("metrics of llm/glm-0 (no answer within 2 s)",))


@pytest.mark.parametrize(
    ("scene", "check", "expected"),
    [
        pytest.param(
            a_scene(lambda step: {"waiting": 20.0}),
            "engine.queue",
            False,
            id="a queue that is worked off in half a minute",
        ),
        pytest.param(
            a_scene(lambda step: {"waiting": 50.0}), "engine.queue", True, id="a steady queue in which one waits 75 s"
        ),
        pytest.param(
            a_scene(lambda step: {"waiting": 40.0 * (step % 2)}), "engine.queue", False, id="bursts that are worked off"
        ),
        pytest.param(a_scene(stuck(10, waiting=99.0)), "engine.queue", False, id="one that hangs has a queue, too"),
        pytest.param(
            a_scene(lambda step: {"waiting": 3.0 * step}, readings=4), "engine.queue", False, id="too short to say"
        ),
        pytest.param(
            a_scene(lambda step: {"kv_cache_usage": 0.99}),
            "engine.kv_cache",
            False,
            id="a full cache without preemptions",
        ),
        pytest.param(
            a_scene(lambda step: {"kv_cache_usage": 0.99, "preemptions": 9.0 if step == 20 else 0.0}),
            "engine.kv_cache",
            False,
            id="preemptions of one moment",
        ),
        pytest.param(
            a_scene(lambda step: {"ttft": histogram(0, 0, 50, 5, 0, 20 * max(0, step - 8))}),
            "engine.first_token",
            False,
            id="a past of 55 requests is no past",
        ),
        pytest.param(
            a_scene(lambda step: {"ttft": histogram(9000 + 10 * step, 900, 0, 90 * max(0, step - 8))}),
            "engine.first_token",
            False,
            id="ten times as slow and still within a second",
        ),
        pytest.param(
            a_scene(lambda step: {"finished": {"stop": 10.0 * step, "abort": 30.0 * step}}),
            "engine.errors",
            False,
            id="callers that go away are no errors",
        ),
        pytest.param(a_scene(growing(errors=1.0)), "engine.errors", True, id="8 of 88 requests fail"),
    ],
)
def test_what_else_fires(scene: EngineScene, check: str, expected: bool) -> None:
    assert fires(scene, check) == expected


@pytest.mark.parametrize(
    ("usage", "engine", "words"),
    [
        pytest.param(0.97, "vllm", "--max-model-len", id="vLLM with a full cache"),
        pytest.param(0.97, "sglang", "--context-length", id="SGLang with a full cache"),
        pytest.param(0.2, "vllm", "--max-num-seqs", id="a batch that is too small"),
        pytest.param(0.7, "vllm", "Take fewer requests", id="neither"),
    ],
)
def test_the_remedy_fits_what_limits_it(usage: float, engine: str, words: str) -> None:
    (found,) = findings(
        a_scene(lambda step: {"waiting": 3.0 * step, "kv_cache_usage": usage, "engine": engine}), "engine.queue"
    )
    assert words in found.remedies[0].action
