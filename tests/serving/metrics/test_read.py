"""Pages of metrics as engines write them: names of old and new releases, several models and ranks, and rubbish."""

from datetime import UTC, datetime

import pytest

from bot.domain.engine import EngineReading, Way
from bot.serving.metrics.read import FOREIGN, marked, read

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
VLLM = """
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="glm"} 3.0
vllm:num_requests_waiting{engine="0",model_name="glm"} 5.0
vllm:kv_cache_usage_perc{engine="0",model_name="glm"} 0.42
vllm:num_preemptions_total{engine="0",model_name="glm"} 7.0
vllm:num_preemptions_created{engine="0",model_name="glm"} 1.76e+09
vllm:prompt_tokens_total{engine="0",model_name="glm"} 5e+06
vllm:generation_tokens_total{engine="0",model_name="glm"} 1.25e+06
vllm:request_success_total{engine="0",finished_reason="stop",model_name="glm"} 90.0
vllm:request_success_total{engine="0",finished_reason="error",model_name="glm"} 4.0
vllm:iteration_tokens_total_count{engine="0",model_name="glm"} 1234.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.1",model_name="glm"} 10.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="1.0",model_name="glm"} 30.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="glm"} 40.0
vllm:time_to_first_token_seconds_count{engine="0",model_name="glm"} 40.0
vllm:time_to_first_token_seconds_sum{engine="0",model_name="glm"} 22.5
"""
OLD_VLLM = """
vllm:num_requests_running{model_name="glm"} 3
vllm:gpu_cache_usage_perc{model_name="glm"} 0.9
vllm:time_per_output_token_seconds_bucket{le="0.05",model_name="glm"} 8
vllm:time_per_output_token_seconds_bucket{le="+Inf",model_name="glm"} 9
vllm:gpu_prefix_cache_queries{model_name="glm"} 10
vllm:gpu_prefix_cache_hits{model_name="glm"} 5
"""
SGLANG = """
sglang:num_running_reqs{model_name="glm",tp_rank="0"} 2.0
sglang:num_running_reqs{model_name="glm",tp_rank="1"} 2.0
sglang:num_queue_reqs{model_name="glm",tp_rank="0"} 6.0
sglang:token_usage{model_name="glm",tp_rank="0"} 0.31
sglang:generation_tokens_total{model_name="glm"} 900.0
sglang:prompt_tokens_total{model_name="glm"} 800.0
sglang:num_requests_total{model_name="glm"} 50.0
sglang:num_aborted_requests_total{model_name="glm"} 2.0
sglang:num_retracted_requests_total{model_name="glm"} 1.0
"""
RENAMED = 'vllm_num_requests_running{model_name="glm"} 2\nvllm_generation_tokens_total{model_name="glm"} 10\n'


def one(text: str) -> EngineReading:
    (found,) = read(text, taken_at=NOW, way=Way.DIRECT)
    return found


def line(name: str, value: str, labels: str = 'model_name="glm"') -> str:
    return f"{name}{{{labels}}} {value}\n"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(
            VLLM,
            {
                "engine": "vllm", "models": ("glm",), "running": 3, "waiting": 5, "kv_cache_usage": 0.42, "preemptions": 7,
                "prompt_tokens": 5e6, "generated_tokens": 1.25e6, "iterations": 1234, "errors": 4, "ended": 94,
                "requests": 8, "progress": 6.25e6,
            },
            id="vLLM 0.33",
        ),
        pytest.param(
            OLD_VLLM, {"running": 3, "kv_cache_usage": 0.9, "prefix_queries": 10, "prefix_hits": 5}, id="vLLM before 0.10"
        ),
        pytest.param(
            SGLANG,
            {
                "engine": "sglang", "running": 2, "waiting": 6, "kv_cache_usage": 0.31, "generated_tokens": 900,
                "preemptions": 1, "errors": 2,
            },
            id="SGLang, where each rank tells the same",
        ),
        pytest.param(RENAMED, {"engine": "vllm", "running": 2, "generated_tokens": 10}, id="colons renamed by a collector"),
        pytest.param(
            line("vllm:num_requests_running", "1", 'model_name="a"') + line("vllm:num_requests_running", "2", 'model_name="b"'),
            {"running": 3, "models": ("a", "b")},
            id="two models are counted together",
        ),
        pytest.param(
            line("vllm:num_requests_running", "1") + line("vllm:num_requests_running", "9"),
            {"running": 9},
            id="of a series that is there twice the last one counts",
        ),
        pytest.param(
            line("vllm:num_requests_running", "NaN") + line("vllm:num_requests_waiting", "+Inf"),
            {"engine": "", "running": None, "waiting": None},
            id="no numbers",
        ),
        pytest.param(
            line("vllm:num_requests_running", "-4") + line("vllm:num_requests_waiting", "2"),
            {"running": None, "waiting": 2},
            id="less than nothing is no number",
        ),
        pytest.param(
            line("vllm:num_requests_running", "4") + 'vllm:num_requests_waiting{model_name="g',
            {"running": 4, "waiting": None},
            id="the last line is cut",
        ),
        pytest.param(
            line("vllm:num_requests_running", "4", 'model_name="a\\"b\\\\c}{ 7"'),
            {"running": 4, "models": ('a"b\\c}{ 7',)},
            id="braces, quotes and blanks in a label",
        ),
        pytest.param("<html>" * 100, {"engine": "", "trouble": FOREIGN}, id="another page"),
        pytest.param("", {"engine": "", "trouble": FOREIGN}, id="an empty page"),
        pytest.param(
            line("vllm:num_requests_running", "1") + "x" * 5_000_000, {"running": 1}, id="a line of megabytes behind it"
        ),
        pytest.param(
            line("vllm:num_requests_running", "1", 'model_name="<!channel>\u202e"'),
            {"models": ("‹!channel>",)},
            id="a model's name that would ping a channel",
        ),
    ],
)  # fmt: skip
def test_what_a_page_says(page: str, expected: dict[str, object]) -> None:
    found = one(page)
    assert {name: getattr(found, name) for name in expected} == expected


def test_a_page_that_is_too_long_is_read_as_far_as_allowed() -> None:
    found = one(
        line("vllm:num_requests_running", "1") + "# HELP more\n" * 900_000 + line("vllm:num_requests_waiting", "2")
    )
    assert (found.running, found.waiting) == (1, None)
    assert "longer than 8 MiB" in found.trouble


def test_latency_is_read_with_its_buckets() -> None:
    ttft = one(VLLM).ttft
    assert ttft is not None
    assert (ttft.bounds, ttft.counts, ttft.sum) == ((0.1, 1.0, float("inf")), (10, 30, 40), 22.5)
    assert ttft.quantile(0.5) == pytest.approx(0.55)


@pytest.mark.parametrize(
    "buckets",
    [
        pytest.param((("0.1", 5), ("1", 9)), id="without the last one"),
        pytest.param((("0.1", 9), ("1", 5), ("+Inf", 9)), id="counts that fall"),
        pytest.param((("x", 5), ("NaN", 9)), id="bounds that are none"),
    ],
)
def test_buckets_that_cannot_be_say_nothing(buckets: tuple[tuple[str, int], ...]) -> None:
    page = "".join(line("vllm:time_to_first_token_seconds_bucket", str(n), f'le="{bound}"') for bound, n in buckets)
    assert one(line("vllm:num_requests_running", "1") + page).ttft is None


def test_ranks_behind_one_page_are_told_apart() -> None:
    page = "".join(
        line(f"vllm:{name}", value, f'engine="{rank}",model_name="glm"')
        for rank in (0, 1)
        for name, value in (("num_requests_running", str(rank + 1)), ("generation_tokens_total", "70"))
    )
    found = one(page)
    assert (found.running, found.generated_tokens) == (3, 140)
    assert [(rank.name, rank.running, rank.progress) for rank in found.ranks] == [("0", 1, 70), ("1", 2, 70)]


def test_a_page_that_was_kept_says_when_it_was_read() -> None:
    (found,) = read(marked(VLLM, NOW, Way.PROXY))
    assert (found.taken_at, found.way, found.running) == (NOW, Way.PROXY, 3)
