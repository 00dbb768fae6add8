"""A thousand engines on loopback, each on a port of its own with vLLM's page, and the API server's list of their pods.

python -m tests.bench.engines_server ENGINES      prints the list's address, then serves until its input closes
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import msgspec
from aiohttp import web

NAMESPACE, DESCRIPTORS = "llm", 8_192
HISTOGRAMS = """
    time_to_first_token_seconds inter_token_latency_seconds request_queue_time_seconds e2e_request_latency_seconds
    request_prefill_time_seconds request_decode_time_seconds request_inference_time_seconds request_prompt_tokens
    request_generation_tokens iteration_tokens_total request_params_n request_params_max_tokens
    request_time_per_output_token_seconds
""".split()
BUCKETS = 21
Handler = Callable[[web.BaseRequest], Awaitable[web.Response]]


@contextmanager
def served(engines: int) -> Iterator[str]:
    """The address of such a list, for as long as the block lasts."""
    command = [sys.executable, "-m", "tests.bench.engines_server", str(engines)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError("the engines did not start")
        try:
            yield url
        finally:
            process.kill()


def page(asked: int) -> str:
    """As long as a busy engine's, as it is after so many scrapes: some 600 lines."""
    tokens = 10_000 + 900 * asked
    told = (line for name in HISTOGRAMS for line in _histogram(name, tokens / 100))
    return "\n".join([*_plain(tokens), *told, *_of_the_server(tokens), ""])


def _plain(tokens: int) -> Iterator[str]:
    labels = '{engine="0",model_name="zai-org/GLM-5.2-FP8"}'
    yield from (f'python_gc_objects_collected_total{{generation="{one}"}} {tokens}' for one in range(3))
    for name, value in (("running", 4), ("waiting", 0)):
        yield f"# HELP vllm:num_requests_{name} Number of requests."
        yield f"vllm:num_requests_{name}{labels} {value:.1f}"
    yield f"vllm:kv_cache_usage_perc{labels} 0.41"
    for name in ("num_preemptions", "prefix_cache_queries", "prefix_cache_hits", "corrupted_requests"):
        yield f"vllm:{name}_total{labels} 0.0"
        yield f"vllm:{name}_created{labels} 1.7645e+09"
    yield f"vllm:prompt_tokens_total{labels} {tokens * 4}"
    yield f"vllm:generation_tokens_total{labels} {tokens}"
    ends = {"stop": tokens // 100, "length": 9, "abort": 3, "error": 0, "repetition": 0}
    yield from (
        f'vllm:request_success_total{{finished_reason="{how}",{labels[1:]} {number}' for how, number in ends.items()
    )


def _of_the_server(tokens: int) -> Iterator[str]:
    """What the HTTP server tells of itself, which nobody reads."""
    for handler in ("/health", "/metrics", "/v1/models", "/v1/completions", "/v1/chat/completions"):
        for bucket in range(40):
            labels = f'handler="{handler}",method="POST",le="{bucket / 4:g}"'
            yield f"http_request_duration_highr_seconds_bucket{{{labels}}} {tokens}"


def _histogram(name: str, observed: float) -> Iterator[str]:
    labels = 'engine="0",model_name="zai-org/GLM-5.2-FP8"'
    yield f"# HELP vllm:{name} Histogram of something that takes a sentence to say."
    yield f"# TYPE vllm:{name} histogram"
    for bucket in range(BUCKETS):
        share = (bucket + 1) / BUCKETS
        yield f'vllm:{name}_bucket{{{labels},le="{0.001 * 2**bucket:g}"}} {observed * share:.1f}'
    yield f'vllm:{name}_bucket{{{labels},le="+Inf"}} {observed:.1f}'
    yield f"vllm:{name}_count{{{labels}}} {observed:.1f}"
    yield f"vllm:{name}_sum{{{labels}}} {observed * 0.3:.3f}"


def pod(number: int, port: int) -> dict[str, object]:
    command = ["vllm", "serve", "zai-org/GLM-5.2-FP8", "--port", str(port)]
    container = {"name": "vllm", "image": "vllm/vllm-openai:v0.33.0", "command": command}
    return {
        "metadata": {"name": name(number), "namespace": NAMESPACE, "uid": f"u-{number}"},
        "spec": {"nodeName": f"gpu-{number}", "containers": [container]},
        "status": {"phase": "Running", "podIP": "127.0.0.1"},
    }


def name(number: int) -> str:
    return f"glm-{number}"


async def _listening(handler: Handler) -> int:
    runner = web.ServerRunner(web.Server(handler, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return int(runner.addresses[0][1])


def _engine(engines: int) -> Handler:
    """All of them tell the same; it changes when each was asked once more."""
    asked, told = 0, b""

    async def answer(request: web.BaseRequest) -> web.Response:
        nonlocal asked, told
        if asked % engines == 0:
            told = page(asked // engines).encode()
        asked += 1
        return web.Response(body=told, content_type="text/plain")

    return answer


async def _serve(engines: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    one = _engine(engines)
    ports = [await _listening(one) for _ in range(engines)]
    pods = [pod(number, port) for number, port in enumerate(ports)]

    async def listed(request: web.BaseRequest) -> web.Response:
        if request.path == "/ports":
            return web.Response(body=msgspec.json.encode(ports))
        start, size = int(request.query.get("continue", 0)), int(request.query["limit"])
        meta = {"continue": str(start + size)} if start + size < engines else {}
        return web.Response(body=msgspec.json.encode({"metadata": meta, "items": pods[start : start + size]}))

    print(f"http://127.0.0.1:{await _listening(listed)}", flush=True)
    await asyncio.to_thread(sys.stdin.read)


def main() -> None:
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {1})  # the reader has the other core
    asyncio.run(_serve(int(sys.argv[1])))


if __name__ == "__main__":
    main()
