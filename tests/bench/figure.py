"""One figure of a run, and how a process of its own is measured."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Figure = dict[str, Any]
"""`{name, value, unit, peer, peer_value, ratio, goal, ok}`, as bench.json has it."""

GOAL = "goal"
"""The peer of a figure that is held to a number and not to another program."""


def beside(name: str, value: float, unit: str, peer: str, peer_value: float, *, at_most: float) -> Figure:
    """A figure that may be `at_most` that many times its peer's."""
    ratio = value / peer_value if peer_value else math.inf
    goal = f"≤ 1/{round(1 / at_most)} of the peer" if at_most < 1 else f"≤ {at_most:g} × the peer"
    return _figure(name, value, unit, peer, peer_value, ratio, goal, ratio <= at_most)


def within(name: str, value: float, unit: str, most: float) -> Figure:
    """A figure that is held to a number."""
    return _figure(name, value, unit, GOAL, most, value / most, f"≤ {most:g} {unit}", value <= most)


def _figure(
    name: str, value: float, unit: str, peer: str, peer_value: float, ratio: float, goal: str, ok: bool
) -> Figure:
    return {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "peer": peer,
        "peer_value": round(peer_value, 3),
        "ratio": round(ratio, 4),
        "goal": goal,
        "ok": ok,
    }


@dataclass(frozen=True, slots=True)
class Sample:
    """One process from start to end."""

    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    out: str = ""


def measured(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, keep_output: bool = False
) -> Sample:
    """Run it to its end, output thrown away unless kept (that must fit a pipe). Raises CalledProcessError."""
    target = subprocess.PIPE if keep_output else subprocess.DEVNULL
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=target, env=environment, text=True) as process:
        out = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        wall_seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return Sample(wall_seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out)


def median(samples: Sequence[Sample], of: Callable[[Sample], float]) -> float:
    return statistics.median(of(sample) for sample in samples)


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
