"""What engines say of themselves, as a table with small charts of the last minutes."""

from collections.abc import Iterator

from bot.domain.document import Table, table
from bot.domain.engine import Histogram
from bot.domain.words import duration
from bot.serving.figures import Figures
from bot.views.model_chart import spark
from bot.views.model_words import number, percent, seconds


def listed(seen: Figures) -> Table:
    """Of all engines of the model together; a row that nobody told is left out."""
    rows = [(what, now, _chart(seen, course)) for what, now, course in _rows(seen)]
    minutes = f"the last {duration(seen.seconds)}" if seen.courses else "course"
    return table(("engines say", "now", minutes), rows, (1,))


def _rows(seen: Figures) -> Iterator[tuple[str, str, str]]:
    part = seen.partial
    plain = (
        ("tokens/s", seen.tokens_per_second, "tokens_per_second"),
        ("prompt tokens/s", seen.prompt_tokens_per_second, "prompt_tokens_per_second"),
        ("in the batch", seen.running, "running"),
        ("in the queue", seen.waiting, "waiting"),
    )
    for what, value, course in plain:
        if value is not None:
            yield what, number(value, partial=part), course
    if seen.kv_cache_usage is not None:
        yield "KV cache full", percent(seen.kv_cache_usage), "kv_cache_usage"
    yield from _latency("first token", seen.ttft)
    yield from _latency("between tokens", seen.itl)
    yield from _rest(seen)


def _latency(what: str, told: Histogram | None) -> Iterator[tuple[str, str, str]]:
    if told is not None and told.count > 0:
        half, most = told.quantile(0.5), told.quantile(0.95)
        yield f"{what}, median and p95", f"{seconds(half)}, {seconds(most)}", ""


def _rest(seen: Figures) -> Iterator[tuple[str, str, str]]:
    if seen.prefix_hits is not None:
        yield "prompts found in the cache", percent(seen.prefix_hits), ""
    if seen.accepted is not None:
        yield "guesses taken a step", number(seen.accepted), ""
    if seen.preempted:
        yield "requests put back", number(seen.preempted), ""
    if seen.ended is not None:
        yield "requests ended", number(seen.ended, partial=seen.partial), ""
    if seen.failed:
        yield "of them failed", number(seen.failed), ""


def _chart(seen: Figures, course: str) -> str:
    values = (seen.courses or {}).get(course, ())
    return spark(values, most=1.0 if course == "kv_cache_usage" else None)
