"""`/metrics` of vLLM 0.33: names, labels, buckets (vllm-project/vllm:vllm/v1/metrics/loggers.py)."""

from collections.abc import Iterator, Sequence

from bot.local.engine.engine import Engine

_TTFT = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0),
    *(160.0, 640.0, 2560.0),
)
_ITL = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0)
_E2E = (0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0)


def text(engine: Engine) -> str:
    return "\n".join(_lines(engine)) + "\n"


def _lines(engine: Engine) -> Iterator[str]:
    labels = f'engine="0",model_name="{engine.args.served_name}"'
    told, faults = engine.count(), engine.faults
    yield from _gauge("vllm:num_requests_running", labels, engine.running_now)
    yield from _gauge("vllm:num_requests_waiting", labels, faults.waiting)
    yield from _gauge("vllm:kv_cache_usage_perc", labels, round(engine.kv_usage, 4))
    blocks = engine.args.context_tokens * 2 // 64
    config = f'block_size="64",{labels},gpu_memory_utilization="0.92",num_gpu_blocks="{blocks}"'
    yield from _gauge("vllm:cache_config_info", config, 1)
    yield from _counter("vllm:num_preemptions", labels, told.preemptions)
    yield from _counter("vllm:prompt_tokens", labels, told.prompt_tokens)
    yield from _counter("vllm:generation_tokens", labels, told.generated_tokens)
    yield from _counter("vllm:prefix_cache_queries", labels, told.prompt_tokens)
    yield from _counter("vllm:prefix_cache_hits", labels, told.prompt_tokens * 0.4)
    yield "# TYPE vllm:request_success_total counter"
    yield f'vllm:request_success_total{{{labels},finished_reason="stop"}} {told.finished:.1f}'
    yield f'vllm:request_success_total{{{labels},finished_reason="error"}} {told.failed:.1f}'
    requests = told.finished + told.failed
    yield from _histogram("vllm:time_to_first_token_seconds", labels, _TTFT, engine.first_token_seconds, requests)
    yield from _histogram("vllm:inter_token_latency_seconds", labels, _ITL, engine.token_seconds, told.generated_tokens)
    whole = engine.first_token_seconds + 200 * engine.token_seconds
    yield from _histogram("vllm:e2e_request_latency_seconds", labels, _E2E, whole, requests)


def _gauge(name: str, labels: str, value: float) -> Iterator[str]:
    yield f"# TYPE {name} gauge"
    yield f"{name}{{{labels}}} {value}"


def _counter(name: str, labels: str, value: float) -> Iterator[str]:
    yield f"# TYPE {name}_total counter"
    yield f"{name}_total{{{labels}}} {value:.1f}"


def _histogram(name: str, labels: str, buckets: Sequence[float], each: float, number: float) -> Iterator[str]:
    """All of them took the same time."""
    yield f"# TYPE {name} histogram"
    for edge in buckets:
        yield f'{name}_bucket{{{labels},le="{edge}"}} {number if each <= edge else 0.0:.1f}'
    yield f'{name}_bucket{{{labels},le="+Inf"}} {number:.1f}'
    yield f"{name}_count{{{labels}}} {number:.1f}"
    yield f"{name}_sum{{{labels}}} {number * each:.3f}"
