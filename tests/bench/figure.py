"""One figure of a run, and how a process of its own is measured."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Figure = dict[str, Any]
"""`{name, value, unit, peer, peer_value, ratio, goal, ok}`, as bench.json has it."""

LAUNCHER = Path(__file__).with_name("launcher.py")
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
    """Run it to its end, output thrown away unless kept. Raises RuntimeError with the end of what was kept."""
    target = subprocess.PIPE if keep_output else subprocess.DEVNULL
    read, write = os.pipe()
    small = [sys.executable, "-S", "-E", str(LAUNCHER), str(write), *command]
    with open(read, encoding="ascii") as report:
        done = subprocess.run(
            small, check=True, stdin=subprocess.DEVNULL, stdout=target, env=environment, pass_fds=[write], text=True
        )
        os.close(write)
        wall_seconds, cpu_seconds, peak_kib, status = map(float, report.read().split())
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with status {status:g}: {(done.stdout or '')[-500:]}")
    return Sample(wall_seconds, cpu_seconds, peak_kib / 1024, done.stdout or "")


def median(samples: Sequence[Sample], of: Callable[[Sample], float]) -> float:
    return statistics.median(of(sample) for sample in samples)


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
