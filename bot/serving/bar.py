"""A progress bar's figures: tqdm's, vLLM's and TGI's."""

import re
from dataclasses import dataclass

from bot.domain.pattern import Pattern

_PERCENT = Pattern(r"(\d{1,3})%")
_COUNT = Pattern(r"(?<![\d/.])(\d{1,9})/(\d{1,9})(?![\d/.]|[kKMGT]i?B?\b)")
_SIZE = Pattern(r"(?<![\w.])(\d{1,6}(?:\.\d{1,4})?)([kKMGT])i?B?/(\d{1,6}(?:\.\d{1,4})?)([kKMGT])i?B?\b")
_TIMES = Pattern(r"\[((?:\d{1,3}:)?\d{1,3}:\d\d)<((?:\d{1,3}:)?\d{1,3}:\d\d)")
_ETA = Pattern(r"ETA: ((?:\d{1,3}:)?\d{1,3}:\d\d)")
_UNITS = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


@dataclass(frozen=True, slots=True)
class Bar:
    """What a bar shows; what it does not show is None."""

    percent: float | None = None
    done: int | None = None
    total: int | None = None
    done_bytes: int | None = None
    total_bytes: int | None = None
    elapsed_seconds: int | None = None
    left_seconds: int | None = None


def read_bar(line: str) -> Bar:
    """The figures in a line; the last bar, where several stand in one."""
    text = line[-400:]
    sizes, counts, times, eta = (_last(pattern, text) for pattern in (_SIZE, _COUNT, _TIMES, _ETA))
    done, total = (int(counts[1]), int(counts[2])) if counts and not sizes else (None, None)
    done_bytes, total_bytes = (_bytes(sizes[1], sizes[2]), _bytes(sizes[3], sizes[4])) if sizes else (None, None)
    return Bar(
        percent=_percent(text, done if sizes is None else done_bytes, total if sizes is None else total_bytes),
        done=done,
        total=total,
        done_bytes=done_bytes,
        total_bytes=total_bytes,
        elapsed_seconds=_seconds(times[1]) if times else None,
        left_seconds=_seconds(times[2]) if times else _seconds(eta[1]) if eta else None,
    )


def _last(pattern: Pattern, text: str) -> re.Match[str] | None:
    return next(reversed(list(pattern.finditer(text))), None)


def _percent(text: str, done: int | None, total: int | None) -> float | None:
    shown = _last(_PERCENT, text)
    if shown and int(shown[1]) <= 100:
        return float(shown[1])
    return round(100 * done / total, 1) if done is not None and total and done <= total else None


def _bytes(number: str, unit: str) -> int:
    return int(float(number) * _UNITS[unit])


def _seconds(clock: str) -> int:
    seconds = 0
    for part in clock.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds
