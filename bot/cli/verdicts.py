"""What kube-scheduler would say of each pending pod, and what it leaves out: one JSON line per pod.

    gpubot verdicts                            the cluster that kubectl would use
    gpubot verdicts --from captured/           a folder or file
    gpubot verdicts --jsonl clusters.jsonl.gz  many clusters: a List a line, or lines with `objects` and `seed`

`nodes` maps each node to every scheduler plugin that turns the pod down there, `first` to the one that the scheduler
reports; `message` is what kube-scheduler 1.36 would write. Exit status 0.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from bot.cli import source
from bot.cli.verb import Verb
from bot.domain.errors import UsageError
from bot.domain.view import View
from bot.scheduling.cycle import Rejection
from bot.scheduling.evaluate import Verdict, evaluate
from bot.scheduling.state import State

Line = dict[str, Any]


def arguments(parser: argparse.ArgumentParser) -> None:
    source.arguments(parser)
    parser.add_argument("--jsonl", metavar="FILE[.gz]", help="many clusters, one a line")


def run(chosen: argparse.Namespace) -> int:
    for line in _lines(chosen):
        sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
    return 0


def _lines(chosen: argparse.Namespace) -> Iterator[Line]:
    if chosen.jsonl is None:
        yield from verdicts(source.open_source(chosen).view)
        return
    if chosen.folder or chosen.kubeconfig or chosen.context:
        raise UsageError("--jsonl is a source of its own: leave the others out.")
    from bot.adapters.files.clusters import clusters

    for seed, view in clusters(Path(chosen.jsonl)):
        for line in verdicts(view):
            yield line if seed is None else {"seed": seed, **line}


def verdicts(view: View) -> Iterator[Line]:
    """A line for each pod that waits, by name."""
    state = State(view)
    for pod in sorted(view.waiting, key=lambda pod: pod.key):
        if not pod.deleted:
            yield as_line(evaluate(pod, state))


def as_line(verdict: Verdict) -> Line:
    """Reasons are sorted: some plugins of the scheduler tell theirs in any order."""
    nodes = verdict.prefilter_nodes
    preemption = verdict.preemption
    return {
        "pod": verdict.pod.key,
        "gated": verdict.gated,
        "reason": verdict.reason,
        "message": verdict.message,
        "preenqueue": _told(verdict.preenqueue),
        "prefilter": _told(verdict.prefilter),
        "prefilter_all": [_told(one) for one in verdict.prefilter_all],
        "prefilter_nodes": None if nodes is None else sorted(nodes),
        "nodes": {name: [_told(one) for one in failing] for name, failing in sorted(verdict.nodes.items())},
        "first": {name: _told(one) for name, one in sorted(verdict.first.items())},
        "feasible": list(verdict.feasible),
        "preemption": preemption
        and {
            "node": preemption.node,
            "victims": sorted(pod.key for pod in preemption.victims if not pod.deleted),
        },
    }


def _told(rejection: Rejection | None) -> Line | None:
    if rejection is None:
        return None
    failure = rejection.failure
    return {"plugin": rejection.plugin, "code": failure.code.value, "reasons": sorted(failure.reasons)}


VERB = Verb("verdicts", "what the scheduler would say of each pending pod, as JSON lines", arguments, run)
