"""`/metrics` of SGLang 0.5 (sgl-project/sglang:python/sglang/srt/metrics/collector.py); only with --enable-metrics."""

from collections.abc import Iterator

from bot.local.engine.engine import Engine
from bot.local.engine.metrics import counter, gauge, histogram_lines
from bot.local.engine.startup import cache_tokens

_HISTOGRAMS = {
    "time_to_first_token_seconds": "time_to_first_token_seconds",
    "inter_token_latency_seconds": "inter_token_latency_seconds",
    "e2e_request_latency_seconds": "e2e_request_latency_seconds",
    "request_time_per_output_token_seconds": "request_time_per_output_token_seconds",
    "queue_time_seconds": "request_queue_time_seconds",
}


def text(engine: Engine) -> str:
    return "\n".join(_lines(engine)) + "\n"


def _lines(engine: Engine) -> Iterator[str]:
    args = engine.args
    labels = f'engine_type="unified",model_name="{args.served_name}",pp_rank="0",tp_rank="0"'
    told, tokens = engine.count(), cache_tokens(args)
    gauges = {
        "num_running_reqs": engine.running_now,
        "num_queue_reqs": engine.waiting_now,
        "token_usage": round(engine.kv_usage, 4),
        "num_used_tokens": round(engine.kv_usage * tokens),
        "max_total_num_tokens": tokens,
        "gen_throughput": engine.generation_rate,
        "cache_hit_rate": told.cached_tokens / told.prompt_tokens if told.prompt_tokens else 0.0,
        "num_retracted_reqs": 0,
    }
    if args.speculative_tokens and told.drafts:
        gauges["spec_accept_length"] = 1 + told.accepted_drafts / told.drafts
    for name, value in gauges.items():
        yield from gauge(f"sglang:{name}", labels, value)
    counters = {
        "num_retracted_requests": told.preemptions,
        "num_aborted_requests": told.finished["abort"] + told.finished["error"],
        "num_requests": sum(told.finished.values()),
        "prompt_tokens": told.prompt_tokens,
        "cached_tokens": told.cached_tokens,
        "generation_tokens": told.generated_tokens,
    }
    for name, value in counters.items():
        yield from counter(f"sglang:{name}", labels, value)
    for name, ours in _HISTOGRAMS.items():
        yield from histogram_lines(f"sglang:{name}", labels, told.histograms[ours])
