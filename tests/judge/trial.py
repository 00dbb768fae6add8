"""Both opinions on many random pods, held against each other."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from bot.adapters.files.clusters import clusters
from bot.cli.verdicts import verdicts
from tests.judge.asking import Draw, answers
from tests.judge.compare import differences

BATCH = 50
MOST_WRONG = 20  # after that many the run ends: more of them tell nothing new


class Answer(msgspec.Struct):
    """One line of the judge's."""

    seed: int
    verdicts: list[dict[str, Any]]


@dataclass
class Trial:
    """How a run went. `wrong` has a sentence for each difference, `heard` what the judge said how often."""

    first_seed: int
    clusters: int = 0
    pods: int = 0
    pairs: int = 0
    wrong: list[str] = field(default_factory=list)
    heard: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return (
            f"seeds {self.first_seed} to {self.first_seed + self.clusters - 1}: "
            f"{self.pods:,} pods, {self.pairs:,} pairs of pod and node, {len(self.wrong)} differences"
        )


def run(judge: Path, first_seed: int, pods: int, draw: Draw, folder: Path) -> Trial:
    """At least so many pods. Clusters with a difference are kept in `folder`, a file each, for `gpubot verdicts`."""
    trial = Trial(first_seed)
    lines = answers(judge, first_seed, draw)
    try:
        while trial.pods < pods and len(trial.wrong) < MOST_WRONG:
            _hold_against(trial, list(islice(lines, BATCH)), folder)
    finally:
        lines.close()  # type: ignore[attr-defined]  # a generator
    return trial


def _hold_against(trial: Trial, lines: list[bytes], folder: Path) -> None:
    """By the very way that `gpubot verdicts --jsonl` goes: from a file with a cluster a line."""
    batch = folder / "batch.jsonl"
    batch.write_bytes(b"".join(lines))
    for line, (seed, view) in zip(lines, clusters(batch), strict=True):
        answer = msgspec.json.decode(line, type=Answer)
        assert answer.seed == seed
        found = list(_differences(answer, {one["pod"]: one for one in verdicts(view)}))
        if found:
            (folder / f"{seed}.jsonl").write_bytes(line)
            trial.wrong += found
        _count(trial, answer)
    batch.unlink()


def _differences(answer: Answer, ours: dict[str, dict[str, Any]]) -> Iterator[str]:
    theirs = {one["pod"]: one for one in answer.verdicts}
    for pod in sorted(theirs.keys() | ours.keys()):
        if pod not in theirs or pod not in ours:
            yield f"seed {answer.seed} {pod}: only {'ours' if pod in ours else 'the scheduler'} waits"
        else:
            yield from (f"seed {answer.seed} {pod}: {one}" for one in differences(theirs[pod], ours[pod]))


def _count(trial: Trial, answer: Answer) -> None:
    trial.clusters += 1
    for one in answer.verdicts:
        trial.pods += 1
        trial.pairs += len(one["nodes"])
        trial.heard[one["reason"] or "placed, or not tried"] += 1
        trial.heard["preemption"] += one["preemption"] is not None
        for kind in ("preenqueue", "prefilter"):
            if one[kind]:
                trial.heard[f"{kind} {one[kind]['plugin']}"] += 1
        for failing in one["nodes"].values():
            trial.heard.update(f"any {each['plugin']}" for each in failing)
            if len(failing) == 1:
                trial.heard[f"only {failing[0]['plugin']}"] += 1
