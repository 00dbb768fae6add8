"""This boot of the machine: its id, when it began, and whether a driver is loaded."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.agent.state import Boot

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
DRIVER = Path("/proc/driver/nvidia/version")


def now() -> datetime:
    return datetime.now(UTC)


def this_boot() -> Boot:
    """The kernel counts its messages' time by the monotonic clock."""
    at = now() - timedelta(seconds=time.clock_gettime(time.CLOCK_MONOTONIC))
    try:
        boot_id = BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        boot_id = ""  # not Linux, or hidden
    return Boot(boot_id, at)


def driver_present() -> bool:
    """Also seen from a container that got no driver's files."""
    return DRIVER.exists()
