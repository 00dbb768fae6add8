"""One question to NVML, with its older ways, and what becomes of an error.

NotSupported means that the product has no such thing; a function that the library lacks is tried under its older name:
both end as not told. Every other error is kept under the question's key.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pynvml

Handle = Any
Way = Callable[[Handle], Any]

OLDER = frozenset({pynvml.NVML_ERROR_FUNCTION_NOT_FOUND, pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH})
NOT_TOLD = frozenset({pynvml.NVML_ERROR_NOT_SUPPORTED}) | OLDER


class Progress:
    """In which call the worker is; the beat thread reads it while the call may be hanging."""

    def __init__(self) -> None:
        self.now: tuple[str, int | None, float] | None = None

    def enter(self, call: str, gpu: int | None = None) -> None:
        self.now = (call, gpu, time.monotonic())

    def idle(self) -> None:
        self.now = None


@dataclass(frozen=True, slots=True)
class Call:
    """`key` as the reading has it; `ways` newest first, each from a handle to a value that JSON can hold."""

    key: str
    ways: tuple[Way, ...]


def call(key: str, *ways: Way) -> Call:
    return Call(key, ways)


@dataclass(slots=True)
class Told:
    """What a round of questions gave: values, and errors by key."""

    values: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)


def ask(calls: Sequence[Call], handle: Handle, gpu: int, progress: Progress, told: Told) -> None:
    """Asks them in turn. A value that was not told is left out."""
    for one in calls:
        progress.enter(one.key, gpu)
        try:
            value = first(one.ways, handle)
        except pynvml.NVMLError as error:
            told.errors[one.key] = error.value
        except UnicodeDecodeError:
            continue  # a text that is none was not told
        else:
            if value is not None:
                told.values[one.key] = value


def first(ways: Sequence[Way], handle: Handle) -> Any:
    """The answer of the newest way that the library has; None where the product has no such thing."""
    for way in ways:
        try:
            return way(handle)
        except pynvml.NVMLError as error:
            if error.value == pynvml.NVML_ERROR_NOT_SUPPORTED:
                return None
            if error.value not in OLDER:
                raise
    return None
