"""What an engine writes while it starts: the milestones in their order, each at its part of the whole time.

vLLM 0.33 (vllm-project/vllm:vllm/v1/engine/core.py, vllm/model_executor/model_loader, vllm/v1/worker/gpu_worker.py,
vllm/v1/core/kv_cache_utils.py); before 0.28 the cache has two lines. SGLang's stands in `startup_sglang`.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.local.engine import startup_sglang
from bot.local.engine.arguments import VERSIONS, EngineArgs

VERSION = VERSIONS["vllm"]
LOAD_FROM, LOAD_TO = 0.10, 0.60
KV_GIB = 25.94
_RANK_OVERHEAD = 1.074  # replicated parts of a checkpoint that is split into ranks
_ONE_CACHE_LINE_SINCE = (0, 28)
_API, _CORE, _WORKER = "APIServer pid=1", "EngineCore pid=271", "Worker_TP0 pid=342"
_BARS = ("Loading safetensors", "Capturing CUDA graphs", "DeepGEMM warmup")


def lines(args: EngineArgs, started_at: datetime, seconds: float, upto: datetime) -> list[str]:
    """What is in the log at `upto`, with the times at which it was written. seconds: until it serves."""
    if args.error:
        return [args.error] if upto >= started_at else []
    told = [(started_at + timedelta(seconds=part * seconds), text) for part, text in script(args, seconds)]
    return [stamped(args, at, text) for at, text in told if at <= upto]


def stamped(args: EngineArgs, at: datetime, text: str) -> str:
    """As the engine's logger writes it; a bar has no time."""
    if args.engine == "sglang":
        return startup_sglang.stamped(at, text)
    who, plain = text.split("|", 1) if text[:2] in ("A|", "C|", "W|") else ("A", text)
    process = {"A": _API, "C": _CORE, "W": _WORKER}[who]
    if plain.startswith(_BARS):
        return f"({process}) {plain}"
    return f"({process}) INFO {at:%m-%d %H:%M:%S} [{_SOURCES[who]}] {plain}"


_SOURCES = {"A": "api_server.py:1351", "C": "core.py:107", "W": "gpu_model_runner.py:4021"}


def script(args: EngineArgs, seconds: float) -> Iterator[tuple[float, str]]:
    """Part of the time, and the line: `A|` of the API server, `C|` of the engine's core, `W|` of its first worker."""
    if args.engine == "sglang":
        yield from startup_sglang.script(args, seconds)
        return
    yield 0.0, f"A|vLLM server version {args.version}, serving model {args.model}"
    yield 0.01, f"A|non-default args: {{'model': '{args.model}', 'tensor_parallel_size': {args.tensor_parallel}}}"
    yield 0.02, f"A|Resolved architecture: {args.checkpoint.architecture}"
    yield 0.03, f"A|Using max model len {args.context_tokens}"
    yield 0.05, f"C|Initializing a V1 LLM engine (v{args.version}) with config: model='{args.model}'"
    yield 0.08, f"W|Starting to load model {args.model}..."
    yield 0.09, f"W|Filesystem type for checkpoints: XFS. Checkpoint size: {args.checkpoint.gib:.2f} GiB."
    yield from _loading(args.checkpoint.shards, seconds)
    yield 0.61, f"W|Loading weights took {(LOAD_TO - LOAD_FROM) * seconds:.2f} seconds"
    yield 0.62, f"W|Model loading took {rank_gib(args):.2f} GiB memory and {0.54 * seconds:.6f} seconds"
    if "Dsa" in args.checkpoint.architecture:
        yield from ((0.62 + 0.08 * done / 4, _bar("W|DeepGEMM warmup", done * 16, 64)) for done in range(1, 5))
    yield 0.72, f"W|Dynamo bytecode transform time: {0.05 * seconds:.2f} s"
    yield 0.80, f"W|torch.compile takes {0.1 * seconds:.2f} s in total"
    yield 0.84, f"W|Available KV cache memory: {KV_GIB} GiB"
    yield from ((0.85, f"C|{text}") for text in _cache(args))
    yield from (
        (0.86 + 0.08 * done / 4, _bar("W|Capturing CUDA graphs (mixed prefill-decode, PIECEWISE)", done * 12, 48))
        for done in range(1, 5)
    )
    yield 0.95, f"W|Graph capturing finished in {0.09 * seconds:.0f} secs, took 1.12 GiB"
    yield 0.97, f"C|init engine (profile, create kv cache, warmup model) took {0.35 * seconds:.2f} seconds"
    yield 0.99, f"A|Starting vLLM server on http://0.0.0.0:{args.port}"
    yield 1.0, "A|Application startup complete."


def rank_gib(args: EngineArgs) -> float:
    """Of the weights, on each GPU."""
    return args.checkpoint.gib / args.tensor_parallel * (_RANK_OVERHEAD if args.tensor_parallel > 1 else 1.0)


def cache_tokens(args: EngineArgs) -> int:
    """In whole blocks of 64."""
    return max(args.context_tokens * 2, 65_536) // 64 * 64


def _loading(shards: int, seconds: float) -> Iterator[tuple[float, str]]:
    whole = (LOAD_TO - LOAD_FROM) * seconds
    for shard in range(shards + 1):
        gone = whole * shard / shards
        left = f"{_clock(gone)}<{_clock(whole - gone)}, {shards / whole if whole else 0.0:5.2f}it/s"
        text = f"{round(100 * shard / shards):3d}% Completed | {shard}/{shards} [{left}]"
        yield LOAD_FROM + (LOAD_TO - LOAD_FROM) * shard / shards, f"W|Loading safetensors checkpoint shards: {text}"


def _cache(args: EngineArgs) -> Iterator[str]:
    tokens = cache_tokens(args)
    size = f"GPU KV cache size: {tokens:,} tokens"
    times = f"Maximum concurrency for {args.context_tokens:,} tokens per request: {tokens / args.context_tokens:.2f}x"
    if args.release >= _ONE_CACHE_LINE_SINCE:
        yield f"{size}, {times}"
    else:
        yield size
        yield times


def _bar(what: str, done: int, total: int) -> str:
    return f"{what}: {round(100 * done / total):3d}%|{'█' * (10 * done // total):10}| {done}/{total}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"
