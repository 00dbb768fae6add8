"""`/metrics` of vLLM 0.33: names, labels, buckets (vllm-project/vllm:vllm/v1/metrics/loggers.py,
vllm/v1/spec_decode/metrics.py).

SGLang's page stands in `metrics_sglang`.
"""

from collections.abc import Iterator

from bot.local.engine.engine import Engine
from bot.local.engine.observed import Histogram
from bot.local.engine.startup import cache_tokens

_BLOCK = 64


def text(engine: Engine) -> str:
    return "\n".join(_lines(engine)) + "\n"


def _lines(engine: Engine) -> Iterator[str]:
    labels = f'engine="0",model_name="{engine.args.served_name}"'
    engine.count()
    yield from _gauges(engine, labels)
    yield from _counters(engine, labels)
    if engine.args.speculative_tokens:
        yield from _drafts(engine, labels)
    for name, histogram in engine.totals.histograms.items():
        yield from histogram_lines(f"vllm:{name}", labels, histogram)


def _gauges(engine: Engine, labels: str) -> Iterator[str]:
    yield from gauge("vllm:num_requests_running", labels, engine.running_now)
    yield from gauge("vllm:num_requests_waiting", labels, engine.waiting_now)
    by_reason = {"capacity": engine.waiting_now, "deferred": 0}
    yield "# TYPE vllm:num_requests_waiting_by_reason gauge"
    for reason, number in by_reason.items():
        yield f'vllm:num_requests_waiting_by_reason{{{labels},reason="{reason}"}} {number:.1f}'
    yield from gauge("vllm:kv_cache_usage_perc", labels, round(engine.kv_usage, 4))
    yield "# TYPE vllm:engine_sleep_state gauge"
    for state, on in (("awake", 1), ("weights_offloaded", 0), ("discard_all", 0)):
        yield f'vllm:engine_sleep_state{{{labels},sleep_state="{state}"}} {on:.1f}'
    yield "# TYPE vllm:cache_config_info gauge"
    yield f"vllm:cache_config_info{{{_config(engine)}}} 1.0"


def _config(engine: Engine) -> str:
    tokens = cache_tokens(engine.args)
    told = {
        "block_size": _BLOCK,
        "cache_dtype": engine.args.kv_cache_dtype,
        "engine": 0,
        "gpu_memory_utilization": engine.args.gpu_memory_utilization,
        "kv_cache_max_concurrency": f"{tokens / engine.args.context_tokens:.2f}",
        "kv_cache_size_tokens": tokens,
        "num_gpu_blocks": tokens // _BLOCK,
    }
    return ",".join(f'{name}="{value}"' for name, value in told.items())


def _counters(engine: Engine, labels: str) -> Iterator[str]:
    told = engine.totals
    plain = {
        "num_preemptions": told.preemptions,
        "prompt_tokens": told.prompt_tokens,
        "prompt_tokens_cached": told.cached_tokens,
        "generation_tokens": told.generated_tokens,
        "prefix_cache_queries": told.prompt_tokens,
        "prefix_cache_hits": told.cached_tokens,
        "corrupted_requests": 0.0,
    }
    for name, value in plain.items():
        yield from counter(f"vllm:{name}", labels, value)
    yield "# TYPE vllm:request_success_total counter"
    for reason, number in told.finished.items():
        yield f'vllm:request_success_total{{{labels},finished_reason="{reason}"}} {number:.1f}'


def _drafts(engine: Engine, labels: str) -> Iterator[str]:
    told, guessed = engine.totals, engine.args.speculative_tokens
    yield from counter("vllm:spec_decode_num_drafts", labels, told.drafts)
    yield from counter("vllm:spec_decode_num_draft_tokens", labels, told.drafts * guessed)
    yield from counter("vllm:spec_decode_num_accepted_tokens", labels, told.accepted_drafts)
    yield "# TYPE vllm:spec_decode_num_accepted_tokens_per_pos_total counter"
    for position in range(guessed):
        each = told.accepted_drafts / guessed
        yield f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{{labels},position="{position}"}} {each:.1f}'


def gauge(name: str, labels: str, value: float) -> Iterator[str]:
    yield f"# TYPE {name} gauge"
    yield f"{name}{{{labels}}} {float(value)}"


def counter(name: str, labels: str, value: float) -> Iterator[str]:
    yield f"# TYPE {name}_total counter"
    yield f"{name}_total{{{labels}}} {value:.1f}"


def histogram_lines(name: str, labels: str, told: Histogram) -> Iterator[str]:
    yield f"# TYPE {name} histogram"
    upto = 0.0
    for edge, number in zip((*told.bounds, "+Inf"), told.counts, strict=True):
        upto += number
        yield f'{name}_bucket{{{labels},le="{edge}"}} {upto:.1f}'
    yield f"{name}_count{{{labels}}} {upto:.1f}"
    yield f"{name}_sum{{{labels}}} {told.sum:.3f}"
