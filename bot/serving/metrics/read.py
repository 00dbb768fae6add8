"""A page of metrics as readings of one engine: one where it is of now, several where its samples carry times."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from bot.domain.engine import EngineReading, Way
from bot.domain.time import read_time
from bot.serving.metrics.exposition import LONGEST, MARK, Sample, condensed, samples
from bot.serving.metrics.names import Form
from bot.serving.metrics.series import Joined, joined

TIMES_MOST = 64
FOREIGN = "its metrics are none of an engine that gpubot knows"
_NUMBERS = """
    running waiting generated_tokens prompt_tokens cached_prompt_tokens iterations kv_cache_usage preemptions
    prefix_queries prefix_hits rejected corrupted drafts accepted_drafts errors
""".split()
_FAILED = ("error", "repetition")
_LARGEST = 2**62


def read(text: str, *, taken_at: datetime | None = None, way: Way | None = None) -> tuple[EngineReading, ...]:
    """The oldest first. Never raises: what is no engine's page gives one reading that says so.

    taken_at, way: where the page itself does not say it (`marked`).
    """
    first, _, rest = text.partition("\n") if text.startswith(MARK) else ("", "", text)
    at, by = _mark(first)
    by_time: dict[int | None, list[Sample]] = {}
    for one in samples(rest):
        by_time.setdefault(one.at, []).append(one)
    trouble = f"its metrics are longer than {LONGEST / 2**20:g} MiB, the end is not read" if len(rest) > LONGEST else ""
    if not by_time:
        return (EngineReading(taken_at=at or taken_at, way=by or way, trouble=trouble or FOREIGN),)
    times = sorted(by_time, key=lambda one: one or 0)[-TIMES_MOST:]
    whole = _carried([by_time[one] for one in times])
    return tuple(
        reading(joined(found), _time(ms) or at or taken_at, by or way, trouble)
        for ms, found in zip(times, whole, strict=True)
    )


def marked(text: str, at: datetime, way: Way) -> str:
    """What is needed of a page, with the time at which it was read and how."""
    return f"{MARK} {at.isoformat()} {way}\n{condensed(text)}"


def reading(told: Joined, at: datetime | None, way: Way | None, trouble: str = "") -> EngineReading:
    numbers: dict[str, Any] = {name: told.numbers[name] for name in _NUMBERS if name in told.numbers}
    finished = dict(told.finished)
    if "ended" in told.numbers:  # engines that only count how many went well and how many did not
        finished["stop"] = told.numbers["ended"]
    failed = [finished[how] for how in _FAILED if how in finished]
    if failed:
        numbers["errors"] = numbers.get("errors", 0.0) + sum(failed)
    elif "errors" in numbers:
        finished["error"] = numbers["errors"]
    blocks, size = _whole(told.config.get("num_gpu_blocks")), _whole(told.config.get("block_size"))
    tokens = _whole(told.config.get("kv_cache_size_tokens")) or _rounded(told.numbers.get("kv_cache_tokens"))
    return EngineReading(
        taken_at=at,
        way=way,
        engine=told.engine,
        models=told.models,
        finished=finished,
        ttft=told.histograms.get("ttft"),
        itl=told.histograms.get("itl"),
        queue=told.histograms.get("queue"),
        sleeping=told.sleeping,
        blocks=blocks,
        block_size=size,
        kv_cache_tokens=tokens or (blocks * size if blocks and size else None),
        gpu_memory_utilization=_share(told.config.get("gpu_memory_utilization")),
        ranks=told.ranks,
        trouble=trouble,
        **numbers,
    )


def _carried(by_time: list[list[Sample]]) -> Iterator[list[Sample]]:
    """What is told only once of several times (an info metric) holds for all of them."""
    once = [one for found in by_time for one in found if one.name.form is Form.LABELS]
    for found in by_time:
        yield [*once, *found] if len(by_time) > 1 else found


def _mark(line: str) -> tuple[datetime | None, Way | None]:
    words = line.split()[2:]
    at = read_time(words[0]) if words else None
    way = Way(words[1]) if len(words) > 1 and words[1] in set(Way) else None
    return at, way


def _time(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= 18 else None


def _rounded(value: float | None) -> int | None:
    return round(value) if value is not None and value < _LARGEST else None


def _share(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 < value <= 1 else None
