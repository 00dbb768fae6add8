"""What a vLLM engine writes while it starts: the milestones in their order, each at its part of the whole time.

Lines as vLLM 0.33 writes them (vllm-project/vllm:vllm/v1/engine/core.py, vllm/model_executor/model_loader,
vllm/v1/worker/gpu_worker.py, vllm/v1/core/kv_cache_utils.py).
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.local.engine.arguments import EngineArgs

SHARDS = 24
_LOAD_FROM, _LOAD_TO = 0.10, 0.60
VERSION = "0.33.0"


def lines(args: EngineArgs, started_at: datetime, seconds: float, upto: datetime) -> list[str]:
    """What is in the log at `upto`, with the times at which it was written. seconds: until it serves."""
    told = [(started_at + timedelta(seconds=part * seconds), text) for part, text in _script(args)]
    return [_stamped(at, text) for at, text in told if at <= upto]


def _stamped(at: datetime, text: str) -> str:
    return f"INFO {at:%m-%d %H:%M:%S} [core.py:93] {text}" if not text.startswith("Loading safetensors") else text


def _script(args: EngineArgs) -> Iterator[tuple[float, str]]:
    gib = 8.0
    yield 0.0, f"vLLM server version {VERSION}, serving model {args.model}"
    yield 0.02, f"Resolved architecture: {_architecture(args.model)}"
    yield 0.03, f"Using max model len {args.context_tokens}"
    yield 0.05, f"Initializing a V1 LLM engine (v{VERSION}) with config: model='{args.model}'"
    yield 0.08, f"Starting to load model {args.model}..."
    for shard in range(1, SHARDS + 1):
        part = _LOAD_FROM + (_LOAD_TO - _LOAD_FROM) * shard / SHARDS
        percent = round(100 * shard / SHARDS)
        yield part, f"Loading safetensors checkpoint shards: {percent:3d}% Completed | {shard}/{SHARDS}"
    yield 0.61, "Loading weights took 11.42 seconds"
    yield 0.62, f"Model loading took {gib:.2f} GiB memory and 12.010000 seconds"
    yield 0.70, "Dynamo bytecode transform time: 5.10 s"
    yield 0.80, "torch.compile takes 14.20 s in total"
    yield 0.84, "Available KV cache memory: 25.94 GiB"
    tokens = max(args.context_tokens * 2, 65_536)
    times = tokens / args.context_tokens
    told = f"Maximum concurrency for {args.context_tokens:,} tokens per request: {times:.2f}x"
    yield 0.85, f"GPU KV cache size: {tokens:,} tokens, {told}"
    yield 0.95, "Graph capturing finished in 21 secs, took 1.12 GiB"
    yield 0.97, "init engine (profile, create kv cache, warmup model) took 52.10 s"
    yield 0.99, f"Starting vLLM server on http://0.0.0.0:{args.port}"
    yield 1.0, "Application startup complete."


def _architecture(model: str) -> str:
    name = model.casefold()
    if "flash" in name:
        return "Glm4MoeLiteForCausalLM"
    return "GlmMoeDsaForCausalLM" if "glm-5" in name else "Glm4MoeForCausalLM"
