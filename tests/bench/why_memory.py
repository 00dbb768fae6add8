"""Ten thousand questions, pods and nodes changing in between: what they leave behind in memory.

python -m tests.bench.why_memory    prints how much memory the process has after a tenth of them and after all
"""

from __future__ import annotations

import gc
import itertools
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bot.adapters.cluster import kinds
from bot.domain.source import Reading, Source
from bot.gpu.policy import Policy
from bot.why.ask import case_of
from bot.why.explain import explain
from bot.why.overview import overview
from bot.why.subject import of_pod
from tests.bench.figure import Figure, measured, within
from tests.bench.why_pod import SPECS, changes, filled, pending

NODES, PODS, QUESTIONS = 16, 200, 10_000
MOST_GROWTH = 1.05
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def figures() -> list[Figure]:
    command = [sys.executable, "-m", "tests.bench.why_memory"]
    early, late = msgspec.json.decode(measured(command, keep_output=True).out, type=tuple[float, float])
    name = f"memory after {QUESTIONS:,} questions (/why POD, /why pending; {NODES} nodes), of that after a tenth"
    return [within(f"{name} ({early:.0f} MiB)", late / early, "×", MOST_GROWTH)]


def main() -> None:
    view, policy = filled(NODES, PODS), Policy()
    for kind in kinds.collect():
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    flow = changes(view)
    waiting = [pending(view, name, SPECS[name]) for name in ("plain", "spread, affinity", "preempting")]
    nodes = itertools.cycle(list(view.nodes))
    sizes: list[float] = []
    for number in range(1, QUESTIONS + 1):
        changed, node = next(flow), view.nodes[next(nodes)]
        view.put("pods", changed.key, changed)
        view.put("nodes", node.name, msgspec.structs.replace(node, version=str(number)))
        if number % 100:
            explain(case_of(of_pod(waiting[number % len(waiting)]), view, policy, NOW))
        else:
            overview(view, policy, NOW)
        if number in (QUESTIONS // 10, QUESTIONS):
            gc.collect()
            sizes.append(_resident_mib())
    sys.stdout.write(msgspec.json.encode(sizes).decode())


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
