"""OpenAI's completions as a measurement asks for them, and what comes back of the stream, read without trust.

vllm-project/vllm:vllm/entrypoints/openai/protocol.py (ignore_eos, stream_options), which SGLang takes as well.
"""

import json
import random

from bot.domain.bench import Load

LINE_MOST = 2**20
_WORDS = "river stone green seven cloud paper house light winter table north metal garden bridge silver window".split()


def body(load: Load, prompt: str) -> dict[str, object]:
    return {
        "model": load.model,
        "prompt": prompt,
        "max_tokens": load.answer_tokens,
        "temperature": 0,
        "ignore_eos": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def prompt_of(load: Load) -> str:
    """About so many tokens of plain words, never the same twice: a cached prefix would flatter the engine."""
    chance = random.Random()  # no secret
    return " ".join(chance.choice(_WORDS) for _ in range(max(1, load.prompt_tokens)))


def chunk(line: str) -> tuple[str, int | None]:
    """The text in one event of the stream, and the engine's own count of tokens where it tells it."""
    if not line.startswith("data:") or len(line) > LINE_MOST:
        return "", None
    told = _decoded(line.removeprefix("data:").strip())
    choices = told.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    text = first.get("text")
    return (text if isinstance(text, str) else ""), _usage(told)


def _usage(told: dict[str, object]) -> int | None:
    usage = told.get("usage")
    count = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 10**6 else None


def _decoded(text: str) -> dict[str, object]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def refused(status: int) -> str:
    if status == 401:
        return "the engine wants an API key, and gpubot has none"
    if status == 403:
        return "it is forbidden: through the API server it needs `create pods/proxy`"
    return f"the engine answers {status}{' (no completions there)' if status == 404 else ''}"
