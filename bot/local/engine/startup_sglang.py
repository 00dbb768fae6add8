"""What SGLang writes while it starts (sgl-project/sglang:python/sglang/srt/model_executor/model_runner.py, 0.5)."""

from collections.abc import Iterator
from datetime import datetime

from bot.local.engine.arguments import EngineArgs

_GRAPHS = (1, 2, 4, 8, 16, 24, 32, 40)


def stamped(at: datetime, text: str) -> str:
    if text.startswith(("Loading safetensors", "Capturing batches")):
        return text
    return f"[{at:%Y-%m-%d %H:%M:%S}] {text}"


def script(args: EngineArgs, seconds: float) -> Iterator[tuple[float, str]]:
    """Part of the time, and the line."""
    shards = args.checkpoint.shards
    yield 0.0, f"server_args=ServerArgs(model_path='{args.model}', tp_size={args.tensor_parallel}, port={args.port})"
    yield 0.04, "Init torch distributed begin."
    yield 0.06, "Init torch distributed ends. mem usage=1.21 GB"
    yield 0.08, "Load weight begin. avail mem=138.33 GB"
    for shard in range(shards + 1):
        text = f"{round(100 * shard / shards):3d}% Completed | {shard}/{shards}"
        yield 0.1 + 0.5 * shard / shards, f"Loading safetensors checkpoint shards: {text}"
    took = f"elapsed={0.5 * seconds:.2f} s, type={args.checkpoint.architecture}"
    yield 0.61, f"Load weight end. {took}, avail mem=43.70 GB, mem usage=94.46 GB."
    yield 0.66, "Memory pool end. avail mem=11.93 GB"
    yield 0.70, "Capture cuda graph begin. This can take up to several minutes. avail mem=11.90 GB"
    for done, _ in enumerate(_GRAPHS, 1):
        part = f"{round(100 * done / len(_GRAPHS)):3d}%|{'█' * done:8}| {done}/{len(_GRAPHS)}"
        yield 0.7 + 0.2 * done / len(_GRAPHS), f"Capturing batches (bs={_GRAPHS[-done]} avail_mem=11.80 GB): {part}"
    yield 0.91, "Capture cuda graph end. Time elapsed: 14.21 s. mem usage=1.31 GB. avail mem=10.58 GB."
    yield 0.93, f"max_total_num_tokens=516367, chunked_prefill_size=8192, context_len={args.context_tokens}"
    yield 0.97, f"Uvicorn running on http://0.0.0.0:{args.port} (Press CTRL+C to quit)"
    yield 1.0, "The server is fired up and ready to roll!"
