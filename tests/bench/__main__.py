"""Measure, print a table, write bench.json; exit status 1 if a figure misses its goal.

    python -m tests.bench [--only NAME,...]       SKIP_CLUSTER=1 leaves the real control plane out
    python -m tests.bench --report                tells what misses its goal and does not fail for it: on a machine
                                                  that others use at the same time, a figure is no verdict

Every peer and every floor is measured in the same run, so that a slow or busy machine slows both. Only figures whose
peer is called "goal" are held to a number.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import (
    agent,
    agents_sweep,
    deploy,
    embedded,
    engines,
    real_cluster,
    scale,
    slack_ack,
    startup,
    warm_status,
    why,
    why_pod,
)
from tests.bench.figure import Figure

OUTPUT = Path("bench.json")
REAL = "cluster"
GROUPS: dict[str, Callable[[], list[Figure]]] = {
    "startup": startup.figures,
    "slack": slack_ack.figures,
    "status": warm_status.figures,
    "why": why_pod.figures,
    "scale": scale.figures,
    "deploy": deploy.figures,
    "agent": agent.figures,
    "why_answers": why.figures,
    "sweep": agents_sweep.figures,
    "engines": engines.figures,
    "embedded": embedded.figures,
    REAL: real_cluster.figures,
}
"""In the order in which they run: what needs a quiet memory comes before what fills it."""


def main() -> int:
    chosen, only_report = _chosen()
    figures: list[Figure] = []
    for name in chosen:
        started = time.monotonic()
        found = GROUPS[name]()
        for figure in found:
            print(_row(figure))
        print(f"        {name}: {time.monotonic() - started:.0f} s\n", flush=True)
        figures += found
    OUTPUT.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    short = [figure for figure in figures if not figure["ok"]]
    print(f"{len(figures) - len(short)} of {len(figures)} figures reach their goal; all of them are in {OUTPUT}")
    return 1 if short and not only_report else 0


def _chosen() -> tuple[list[str], bool]:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="NAME,...", default="", help=f"some of: {', '.join(GROUPS)}")
    parser.add_argument("--report", action="store_true", help="exit status 0 too where a figure misses its goal")
    asked = parser.parse_args()
    names = asked.only.split(",")
    wrong = [name for name in names if name and name not in GROUPS]
    if wrong:
        parser.error(f"no group is called {wrong[0]!r}; there are: {', '.join(GROUPS)}")
    left_out = {REAL} if os.environ.get("SKIP_CLUSTER") == "1" else set()
    return [name for name in GROUPS if (name in names or names == [""]) and name not in left_out], asked.report


def _row(figure: Figure) -> str:
    peer = f"{figure['peer']}: {figure['peer_value']:,g} {figure['unit']}"
    return (
        f"{'ok   ' if figure['ok'] else 'SHORT'}   {figure['name']}: {figure['value']:,g} {figure['unit']}\n"
        f"        {peer}, ratio {figure['ratio']:g}, wanted {figure['goal']}"
    )


if __name__ == "__main__":
    sys.exit(main())
