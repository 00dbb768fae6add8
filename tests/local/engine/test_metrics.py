"""Names of the release, and what the bot's own reader makes of the pages."""

import re

import pytest

from bot.local.engine import metrics, metrics_sglang
from bot.serving.metrics.read import read
from tests.local.engine.helpers import an_engine

DRAFTS = '--speculative-config={"method": "mtp", "num_speculative_tokens": 5}'
SGLANG = ("--model-path=m", "--served-model-name=glm", "--enable-metrics")
VLLM_033 = """
    vllm:num_requests_running vllm:num_requests_waiting vllm:num_requests_waiting_by_reason vllm:kv_cache_usage_perc
    vllm:cache_config_info vllm:engine_sleep_state vllm:num_preemptions_total vllm:prompt_tokens_total
    vllm:generation_tokens_total vllm:prompt_tokens_cached_total vllm:prefix_cache_queries_total
    vllm:prefix_cache_hits_total vllm:request_success_total vllm:corrupted_requests_total
    vllm:spec_decode_num_drafts_total vllm:spec_decode_num_draft_tokens_total
    vllm:spec_decode_num_accepted_tokens_total vllm:spec_decode_num_accepted_tokens_per_pos_total
    vllm:time_to_first_token_seconds_bucket vllm:inter_token_latency_seconds_bucket
    vllm:request_time_per_output_token_seconds_bucket vllm:e2e_request_latency_seconds_bucket
    vllm:request_queue_time_seconds_bucket vllm:request_prefill_time_seconds_bucket
    vllm:request_decode_time_seconds_bucket vllm:request_inference_time_seconds_bucket
    vllm:request_prompt_tokens_bucket vllm:request_generation_tokens_bucket vllm:iteration_tokens_total_bucket
    vllm:request_num_preemptions_bucket
""".split()
SGLANG_05 = """
    sglang:num_running_reqs sglang:num_queue_reqs sglang:token_usage sglang:num_used_tokens sglang:max_total_num_tokens
    sglang:gen_throughput sglang:cache_hit_rate sglang:num_retracted_reqs sglang:num_retracted_requests_total
    sglang:num_aborted_requests_total sglang:num_requests_total sglang:prompt_tokens_total
    sglang:generation_tokens_total sglang:time_to_first_token_seconds_bucket sglang:inter_token_latency_seconds_bucket
    sglang:e2e_request_latency_seconds_bucket sglang:request_time_per_output_token_seconds_bucket
    sglang:queue_time_seconds_bucket
""".split()
SAMPLE = re.compile(r'(?:#.*|[a-z_]+:[a-z0-9_]+\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\} -?[0-9.]+(?:e[+-]\d+)?)')


def names(page: str) -> set[str]:
    return {line.partition("{")[0] for line in page.splitlines() if not line.startswith("#")}


def test_every_name_of_vllm_is_there() -> None:
    page = metrics.text(an_engine(DRAFTS)[0])
    assert set(VLLM_033) <= names(page)
    assert all(SAMPLE.fullmatch(line) for line in page.splitlines())
    assert 'finished_reason="repetition"' in page
    assert 'reason="capacity"' in page


def test_every_name_of_sglang_is_there() -> None:
    page = metrics_sglang.text(an_engine(*SGLANG, engine="sglang")[0])
    assert set(SGLANG_05) <= names(page)
    assert all(SAMPLE.fullmatch(line) for line in page.splitlines())


def test_a_model_without_drafts_tells_none() -> None:
    assert "spec_decode" not in metrics.text(an_engine()[0])


@pytest.mark.parametrize("kind", ["vllm", "sglang"])
def test_the_reader_understands_a_busy_engine(kind: str) -> None:
    engine, clock = an_engine(*(SGLANG if kind == "sglang" else ()), load=10, engine=kind)
    text = metrics.text if kind == "vllm" else metrics_sglang.text
    (before,) = read(text(engine))
    clock.go_on(60)
    (after,) = read(text(engine))
    assert (after.engine, after.models, after.running, after.waiting) == (kind, ("glm",), 10, 0)
    assert after.generated_tokens == pytest.approx((before.generated_tokens or 0) + 10 * 45 * 60, rel=0.001)
    assert after.ttft is not None
    assert 0.1 <= (after.ttft.quantile(0.95) or 0) <= 0.25
    assert after.itl is not None
    assert after.kv_cache_usage == 0.35
    assert (after.kv_cache_tokens or 0) > 0
    assert (after.ended or 0) > 0
    assert not after.errors


@pytest.mark.parametrize(
    ("faults", "tells"),
    [
        pytest.param({"hung": True}, {"running": 10, "generated_tokens": 0, "waiting": 0}, id="hung: runs, no tokens"),
        pytest.param({"waiting": 4}, {"waiting": 4}, id="a queue"),
        pytest.param({"waiting_per_second": 0.5}, {"waiting": 30}, id="a queue that grows"),
        pytest.param(
            {"kv_usage": 1.0, "preemptions_per_second": 2.0},
            {"kv_cache_usage": 1, "preemptions": 120},
            id="a full cache",
        ),
        pytest.param({"failing": True}, {"errors": 135, "generated_tokens": 0}, id="errors"),
        pytest.param({"slow": 10.0}, {"generated_tokens": 2700}, id="slow"),
    ],
)
def test_a_fault_shows_after_a_minute(faults: dict[str, object], tells: dict[str, float]) -> None:
    engine, clock = an_engine(load=10)
    engine.breaks(**faults)
    clock.go_on(60)
    (told,) = read(metrics.text(engine))
    assert {name: getattr(told, name) for name in tells} == pytest.approx(tells)


def test_what_was_counted_never_shrinks_whatever_happens() -> None:
    engine, clock = an_engine(DRAFTS, load=3)
    before: dict[str, float] = {}
    for faults in (
        {},
        {"slow": 50.0},
        {"hung": True},
        {"hung": False, "failing": True},
        {"failing": False, "slow": 1.0},
    ):
        engine.breaks(**faults)
        clock.go_on(30)
        now = dict(
            line.rsplit(" ", 1) for line in metrics.text(engine).splitlines() if "_total" in line or "_bucket" in line
        )
        found = {name: float(value) for name, value in now.items() if not name.startswith("#")}
        assert all(found[name] >= value for name, value in before.items())
        before = found


def test_a_fault_changes_nothing_of_what_was_before_it() -> None:
    engine, clock = an_engine(load=1)
    clock.go_on(10)
    engine.breaks(hung=True)
    clock.go_on(10)
    (told,) = read(metrics.text(engine))
    assert told.generated_tokens == 450


def test_drafts_that_are_never_right_show() -> None:
    engine, clock = an_engine(DRAFTS, load=3)
    clock.go_on(60)
    (well,) = read(metrics.text(engine))
    engine.breaks(drafts_refused=True)
    clock.go_on(60)
    (ill,) = read(metrics.text(engine))
    assert (well.accepted_drafts or 0) / (well.drafts or 1) == pytest.approx(3.5)
    more = ((ill.accepted_drafts or 0) - (well.accepted_drafts or 0)) / ((ill.drafts or 0) - (well.drafts or 0))
    assert more == pytest.approx(0.05, rel=0.001)


def test_healing_ends_a_fault_but_forgets_no_count() -> None:
    engine, clock = an_engine(load=1)
    engine.breaks(preemptions_per_second=1.0, waiting_per_second=1.0)
    clock.go_on(10)
    engine.heals()
    clock.go_on(10)
    (told,) = read(metrics.text(engine))
    assert (told.preemptions, told.waiting) == (10, 0)
