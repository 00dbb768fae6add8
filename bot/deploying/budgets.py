"""How long each phase of a start takes, from sizes and from what others measured: what is usual and what is late.

Image 9 to 12 GB compressed (vllm-project/vllm, issues 27154 and 17163); reading from 1 GB/s (NFS) to 4 GB/s (NVMe) and
compiling kernels from one minute (cached) to twenty (cold) by the project's and SGLang's documentation.
"""

from dataclasses import dataclass

MINUTE = 60
DOWNLOAD_BYTES_PER_SECOND = (875e6, 87.5e6)  # 10 and 1 Gbit/s at 70 %
READ_BYTES_PER_SECOND = (4e9, 0.5e9)
LEAST_START_SECONDS = 20 * MINUTE
MOST_START_SECONDS = 120 * MINUTE


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds: what is usual at best, and after how many it is late."""

    usual: int
    late: int


def downloading(weights_bytes: int) -> Span:
    fast, slow = DOWNLOAD_BYTES_PER_SECOND
    return Span(round(weights_bytes / fast), round(max(10 * MINUTE, weights_bytes / slow)))


def reading(weights_bytes: int) -> Span:
    """Every node reads the whole checkpoint."""
    fast, slow = READ_BYTES_PER_SECOND
    return Span(round(weights_bytes / fast), round(max(10 * MINUTE, weights_bytes / slow)))


ADMITTED = Span(0, MINUTE)
SCHEDULED = Span(5, 5 * MINUTE)
ADDED_NODE = Span(5 * MINUTE, 15 * MINUTE)
IMAGE = Span(2 * MINUTE, 30 * MINUTE)
FIRST_LINE = Span(20, 5 * MINUTE)
COMPILED = Span(MINUTE, 30 * MINUTE)
CAPTURED = Span(30, 15 * MINUTE)
FIRST_TOKEN = Span(2, 2 * MINUTE)


def startup_seconds(weights_bytes: int) -> int:
    """What a startup probe has to allow for: first line, reading at the slow end, compiling cold, graphs."""
    parts = (FIRST_LINE.late, reading(weights_bytes).late, 20 * MINUTE, 5 * MINUTE)
    return min(MOST_START_SECONDS, max(LEAST_START_SECONDS, sum(parts)))


def until_ready(weights_bytes: int, *, downloads: bool, adds_node: bool) -> tuple[int, int]:
    """(soonest, latest) seconds until the first token, as expected: the late end is what is slow and still usual."""
    spans = [IMAGE, FIRST_LINE, reading(weights_bytes), COMPILED, CAPTURED]
    spans += [downloading(weights_bytes)] if downloads else []
    spans += [ADDED_NODE] if adds_node else []
    return sum(one.usual for one in spans), sum(min(one.late, 20 * MINUTE + one.usual) for one in spans)
