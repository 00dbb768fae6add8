"""What engines call what: exported name → what it is to us, and how several series of it are joined.

vllm-project/vllm:vllm/v1/metrics/loggers.py (0.33, and names of 0.6 to 0.32), sgl-project/sglang:python/sglang/srt/
metrics/collector.py (0.5), huggingface/text-generation-inference:docs/source/reference/metrics.md,
triton-inference-server/server:docs/user_guide/metrics.md with triton-inference-server/tensorrtllm_backend.
"""

import enum
from functools import cache
from typing import NamedTuple

FAMILIES = ("vllm", "sglang", "tgi_", "nv_")  # how every name in the table begins


class Form(enum.Enum):
    """How it comes, and how several series of it are joined."""

    SUM = "sum"
    MOST = "most"
    HISTOGRAM = "histogram"
    FINISHED = "finished"  # by the label that says how
    LABELS = "labels"  # an info metric: what counts are its labels


class Name(NamedTuple):
    """One metric. `field`: of EngineReading. `label`: which label tells how a request finished."""

    engine: str
    field: str
    form: Form
    label: str = ""
    only: tuple[str, str] | None = None  # a label and its value, where one name stands for several things


def _vllm() -> dict[str, Name]:
    plain = {
        "num_requests_running": ("running", Form.SUM),
        "num_requests_waiting": ("waiting", Form.SUM),
        "num_requests_swapped": ("swapped", Form.SUM),
        "kv_cache_usage_perc": ("kv_cache_usage", Form.MOST),
        "gpu_cache_usage_perc": ("kv_cache_usage", Form.MOST),  # before 0.10
        "num_preemptions_total": ("preemptions", Form.SUM),
        "prompt_tokens_total": ("prompt_tokens", Form.SUM),
        "prompt_tokens_cached_total": ("cached_prompt_tokens", Form.SUM),
        "generation_tokens_total": ("generated_tokens", Form.SUM),
        "prefix_cache_queries_total": ("prefix_queries", Form.SUM),
        "prefix_cache_hits_total": ("prefix_hits", Form.SUM),
        "gpu_prefix_cache_queries_total": ("prefix_queries", Form.SUM),
        "gpu_prefix_cache_hits_total": ("prefix_hits", Form.SUM),
        "gpu_prefix_cache_queries": ("prefix_queries", Form.SUM),
        "gpu_prefix_cache_hits": ("prefix_hits", Form.SUM),
        "corrupted_requests_total": ("corrupted", Form.SUM),
        "admission_rejections_total": ("rejected", Form.SUM),
        "spec_decode_num_drafts_total": ("drafts", Form.SUM),
        "spec_decode_num_accepted_tokens_total": ("accepted_drafts", Form.SUM),
        "engine_sleep_state": ("sleeping", Form.LABELS),
        "cache_config_info": ("config", Form.LABELS),
        "time_to_first_token_seconds": ("ttft", Form.HISTOGRAM),
        "inter_token_latency_seconds": ("itl", Form.HISTOGRAM),
        "time_per_output_token_seconds": ("itl", Form.HISTOGRAM),  # before 0.11
        "request_queue_time_seconds": ("queue", Form.HISTOGRAM),
        "iteration_tokens_total_count": ("iterations", Form.SUM),
    }
    table = {name: Name("vllm", field, form) for name, (field, form) in plain.items()}
    table["request_success_total"] = Name("vllm", "finished", Form.FINISHED, "finished_reason")
    return {f"vllm:{name}": one for name, one in table.items()}


def _sglang() -> dict[str, Name]:
    plain = {
        "num_running_reqs": ("running", Form.SUM),
        "num_queue_reqs": ("waiting", Form.SUM),
        "token_usage": ("kv_cache_usage", Form.MOST),
        "max_total_num_tokens": ("kv_cache_tokens", Form.SUM),
        "num_retracted_requests_total": ("preemptions", Form.SUM),
        "num_aborted_requests_total": ("errors", Form.SUM),
        "num_requests_total": ("ended", Form.SUM),
        "prompt_tokens_total": ("prompt_tokens", Form.SUM),
        "cached_tokens_total": ("cached_prompt_tokens", Form.SUM),
        "generation_tokens_total": ("generated_tokens", Form.SUM),
        "time_to_first_token_seconds": ("ttft", Form.HISTOGRAM),
        "inter_token_latency_seconds": ("itl", Form.HISTOGRAM),
        "queue_time_seconds": ("queue", Form.HISTOGRAM),
    }
    return {f"sglang:{name}": Name("sglang", field, form) for name, (field, form) in plain.items()}


def _tgi() -> dict[str, Name]:
    """Its tokens are counted when a request ends, so what shows that it works is the forward passes."""
    plain = {
        "tgi_batch_current_size": ("running", Form.SUM),
        "tgi_queue_size": ("waiting", Form.SUM),
        "tgi_batch_inference_count": ("iterations", Form.SUM),
        "tgi_request_success": ("ended", Form.SUM),
        "tgi_request_failure": ("errors", Form.SUM),
        "tgi_request_generated_tokens_sum": ("late_tokens", Form.SUM),
        "tgi_request_mean_time_per_token_duration": ("itl", Form.HISTOGRAM),
        "tgi_request_queue_duration": ("queue", Form.HISTOGRAM),
    }
    return {name: Name("tgi", field, form) for name, (field, form) in plain.items()}


def _triton() -> dict[str, Name]:
    return {
        "nv_trt_llm_request_metrics": Name("triton", "running", Form.SUM, only=("request_type", "active")),
        "nv_inference_pending_request_count": Name("triton", "waiting", Form.SUM),
        "nv_trt_llm_kv_cache_block_metrics": Name(
            "triton", "kv_cache_usage", Form.MOST, only=("kv_cache_block_type", "fraction")
        ),
        "nv_inference_request_success": Name("triton", "ended", Form.SUM),
        "nv_inference_request_failure": Name("triton", "errors", Form.SUM),
        "nv_inference_exec_count": Name("triton", "iterations", Form.SUM),
    }


@cache
def table() -> dict[str, Name]:
    """By the name as it stands in a line; a histogram by each of its three.

    Where a collector has renamed `:` to `_` (OpenTelemetry, prometheus-adapter), the name is known all the same.
    """
    known = {**_vllm(), **_sglang(), **_tgi(), **_triton()}
    found: dict[str, Name] = {}
    for name, one in known.items():
        for spelling in {name, name.replace(":", "_")}:
            if one.form is Form.HISTOGRAM:
                found |= {f"{spelling}{part}": one for part in ("_bucket", "_sum", "_count")}
            else:
                found[spelling] = one
    return found
