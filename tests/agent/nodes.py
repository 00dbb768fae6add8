"""A node that was read some time ago."""

from datetime import UTC, datetime, timedelta
from typing import Any

from bot.agent.fault import Fault, Kind
from bot.agent.message import Reading
from bot.agent.state import Boot, State

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


GPUS = [
    {"index": 0, "uuid": "GPU-0", "name": "NVIDIA H200", "pciInfo": {"busId": "00000000:18:00.0"}, "temperature": 41},
    {"index": 1, "uuid": "GPU-1", "name": "NVIDIA H200", "pciInfo": {"busId": "00000000:19:00.0"}, "temperature": 42},
]


def state(age_seconds: float = 0, fault: Fault | None = None) -> State:
    """A node that was read so long ago."""
    moments = iter([NOW - timedelta(seconds=age_seconds)])
    told = State("gpu-a", Boot("b00t", NOW - timedelta(days=1)), lambda: next(moments, NOW))
    told.take(Reading(gpus=GPUS, driver_version="580.95.05", cuda_driver_version=13000))
    told.fault = fault
    return told


def hang(**more: Any) -> Fault:
    return Fault(Kind.HANGS, NOW - timedelta(seconds=40), **more)
