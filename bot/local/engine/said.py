"""The line that a busy engine writes every few seconds.

vllm-project/vllm:vllm/v1/metrics/loggers.py; sgl-project/sglang:python/sglang/srt/managers/scheduler_metrics_mixin.py.
"""

from bot.local.engine.engine import LOAD_PROMPT_TOKENS, LOAD_TOKENS, Engine


def load_line(engine: Engine) -> str:
    """Empty for one that has nothing to do."""
    running, waiting = engine.running_now, engine.waiting_now
    if not running and not waiting:
        return ""
    speed = engine.generation_rate
    if engine.args.engine == "sglang":
        used = f"token usage: {engine.kv_usage:.2f}, cuda graph: True"
        return (
            f"Decode batch. #running-req: {running}, #token: {running * 1000}, {used}, "
            f"gen throughput (token/s): {speed:.2f}, #queue-req: {waiting},"
        )
    prompt = speed * LOAD_PROMPT_TOKENS / LOAD_TOKENS
    return (
        f"A|Engine 000: Avg prompt throughput: {prompt:.1f} tokens/s, Avg generation throughput: {speed:.1f} tokens/s, "
        f"Running: {running} reqs, Waiting: {waiting} reqs, GPU KV cache usage: {100 * engine.kv_usage:.1f}%, "
        f"Prefix cache hit rate: 40.0%"
    )
