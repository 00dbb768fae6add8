"""What the engine writes is understood by the bot's reader of engine logs."""

from datetime import timedelta
from itertools import pairwise

import pytest

from bot.local.engine.arguments import read_args
from bot.local.engine.endings import ENDINGS, last_log
from bot.local.engine.said import load_line
from bot.local.engine.startup import lines, stamped
from bot.serving.load import read_load
from bot.serving.phase import Phase
from bot.serving.reading import read
from tests.local.engine.helpers import NOW, an_engine, args_of

SECONDS = 600.0
SGLANG = ["--model-path=zai-org/GLM-5.2-FP8", "--tp-size=8"]
MILESTONES = """
    vLLM server version 0.33.0, serving model zai-org/GLM-5.2-FP8
    non-default args:
    Resolved architecture: GlmMoeDsaForCausalLM
    Using max model len 1048576
    Initializing a V1 LLM engine (v0.33.0) with config:
    Starting to load model zai-org/GLM-5.2-FP8...
    Filesystem type for checkpoints:
    Loading safetensors checkpoint shards:  50% Completed | 70/141
    Loading weights took
    Model loading took 94.48 GiB memory and
    DeepGEMM warmup
    Available KV cache memory: 25.94 GiB
    GPU KV cache size: 2,097,152 tokens, Maximum concurrency for 1,048,576 tokens per request: 2.00x
    Capturing CUDA graphs
    Graph capturing finished in
    init engine (profile, create kv cache, warmup model) took
    Starting vLLM server on http://
    Application startup complete.
"""


def log(part: float, *words: str, engine: str = "vllm") -> str:
    args = args_of(*words, engine=engine)
    return "\n".join(lines(args, NOW, SECONDS, NOW + timedelta(seconds=part * SECONDS)))


def test_the_milestones_of_the_release_come_in_their_order() -> None:
    whole = log(1.0)
    places = [whole.find(one.strip()) for one in MILESTONES.strip().splitlines()]
    assert -1 not in places
    assert all(before < after for before, after in pairwise(places))


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
@pytest.mark.parametrize(
    ("part", "phase"),
    [
        pytest.param(0.055, Phase.START, id="starts"),
        pytest.param(0.3, Phase.LOAD, id="loads"),
        pytest.param(0.88, Phase.WARM, id="warms up"),
        pytest.param(1.0, Phase.READY, id="is ready"),
    ],
)
def test_the_reader_knows_the_phase(engine: str, part: float, phase: Phase) -> None:
    words = [] if engine == "vllm" else SGLANG
    if engine == "sglang" and phase is Phase.START:
        part = 0.02
    progress = read(log(part, *words, engine=engine)).progress
    assert progress is not None
    assert (progress.engine, progress.phase) == (engine, phase)


def test_the_reader_knows_how_many_shards_are_in() -> None:
    progress = read(log(0.35)).progress
    assert progress is not None
    assert progress.version == "0.33.0"
    assert progress.summary.startswith("loading the weights: 70 of 141 shards, 50 %")


def test_releases_before_028_write_the_cache_in_two_lines() -> None:
    made = lines(read_args(["m"], version="0.27.0"), NOW, 1.0, NOW + timedelta(seconds=1))
    assert sum("Maximum concurrency for" in one or "GPU KV cache size" in one for one in made) == 2


CAUSES = {
    "out-of-memory-loading": "gpu-memory-full-while-loading",
    "weights-missing": "weights-missing",
    "weights-broken": "weights-truncated",
    "driver-too-old": "driver-too-old",
    "no-cache-memory": "kv-cache-no-memory",
    "context-too-long": "kv-cache-context-too-long",
    "nccl": "nccl-system-error",
    "shared-memory": "shared-memory-bus-error",
    "ready-too-late": "engine-start-timed-out",
    "illegal-access": "cuda-illegal-memory-access",
}
WITHOUT_WORDS = ("host-memory", "probe-too-short")  # killed from outside: only the pod's status says why


def last_words(name: str) -> str:
    return "\n".join(last_log(args_of(), NOW, SECONDS, name, NOW + timedelta(seconds=2 * SECONDS)))


@pytest.mark.parametrize("name", CAUSES)
def test_the_last_words_of_each_ending_are_understood(name: str) -> None:
    cause = read(last_words(name)).cause
    assert cause is not None
    assert cause.signature.id == CAUSES[name]


@pytest.mark.parametrize("name", WITHOUT_WORDS)
def test_an_engine_that_is_killed_from_outside_gives_no_cause(name: str) -> None:
    told = read(last_words(name))
    assert told.cause is None
    assert told.progress is not None
    assert told.progress.phase is Phase.LOAD


def test_every_ending_is_one_or_the_other() -> None:
    assert {*CAUSES, *WITHOUT_WORDS} == set(ENDINGS)


def test_an_ending_is_not_told_before_it_comes() -> None:
    told = last_log(args_of(), NOW, SECONDS, "out-of-memory-loading", NOW + timedelta(seconds=0.29 * SECONDS))
    assert "out of memory" not in "\n".join(told)


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_a_hang_is_in_the_line_of_a_busy_engine(engine: str) -> None:
    made, _ = an_engine(*(SGLANG if engine == "sglang" else []), load=3, engine=engine)
    busy = read_load(stamped(made.args, NOW, load_line(made)))
    made.breaks(hung=True)
    hung = read_load(stamped(made.args, NOW, load_line(made)))
    assert busy is not None
    assert hung is not None
    assert (busy.running, busy.stands_still, hung.running, hung.stands_still) == (3, False, 3, True)


def test_an_idle_engine_says_nothing() -> None:
    assert load_line(an_engine()[0]) == ""
