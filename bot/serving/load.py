"""The line that a busy engine writes every few seconds: requests, throughput, cache."""

from dataclasses import dataclass

from bot.domain.pattern import Pattern

_N = r"(\d{1,9}(?:\.\d{1,6})?)"
_VLLM = Pattern(
    rf"Avg prompt throughput: {_N} tokens/s, Avg generation throughput: {_N} tokens/s, Running: {_N} reqs,"
    rf"(?: Swapped: {_N} reqs,)? (?:Waiting|Pending): {_N} reqs, GPU KV cache usage: {_N}%"
)
_SGLANG = Pattern(
    rf"Decode batch.{{0,80}}#running-req: {_N},.{{0,80}}token usage: {_N},.{{0,160}}gen throughput \(token/s\): {_N},"
    rf" #queue-req: {_N}"
)


@dataclass(frozen=True, slots=True)
class Load:
    """Requests and tokens at the time of the line."""

    running: int
    waiting: int
    prompt_tokens_per_second: float | None
    generation_tokens_per_second: float
    cache_percent: float

    @property
    def stands_still(self) -> bool:
        """Requests run and no token comes out: a hang if it stays so for minutes."""
        return self.running > 0 and self.generation_tokens_per_second == 0 and not self.prompt_tokens_per_second


def read_load(line: str) -> Load | None:
    """vLLM: vllm/v1/metrics/loggers.py. SGLang: sglang/srt/managers/scheduler (decode statistics)."""
    if found := _VLLM.search(line):
        prompt, generation, running, _, waiting, cache = found.groups()
        return Load(int(float(running)), int(float(waiting)), float(prompt), float(generation), float(cache))
    if found := _SGLANG.search(line):
        running, usage, generation, queue = (float(part) for part in found.groups())
        return Load(int(running), int(queue), None, generation, round(usage * 100, 1))
    return None
