"""Verdicts against those of kube-scheduler's own plugins (release 1.36.3) on 400 random clusters.

`data/oracle.jsonl.gz`: {"seed", "objects", "verdicts"} a line. The verdicts come from a program that runs the plugins'
own code over the objects; it agreed with a real scheduler on every pod that was tried.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.adapters.files.errors import Place
from bot.adapters.files.load import view_of
from bot.adapters.files.objects import unpack
from bot.cli.verdicts import verdicts

ORACLE = Path(__file__).parent / "data" / "oracle.jsonl.gz"
SHARDS = 8
FIELDS = (
    "gated",
    "reason",
    "preenqueue",
    "prefilter",
    "prefilter_all",
    "prefilter_nodes",
    "nodes",
    "first",
    "feasible",
)
TOTALS = {"clusters": 400, "pods": 2_564, "pairs": 30_388}


class Cluster(msgspec.Struct):
    """One line."""

    seed: int
    objects: list[msgspec.Raw]
    verdicts: list[dict[str, Any]]


def shard(number: int) -> Iterator[Cluster]:
    decoder = msgspec.json.Decoder(Cluster)
    with gzip.open(ORACLE, "rb") as lines:
        for index, line in enumerate(lines):
            if index % SHARDS == number:
                yield decoder.decode(line)


def told(cluster: Cluster) -> dict[str, dict[str, Any]]:
    place = Place(ORACLE)
    items = (item for raw in cluster.objects for item in unpack(bytes(raw), place))
    return {line["pod"]: line for line in verdicts(view_of(items, "oracle"))}


def differences(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    found = [field for field in FIELDS if (theirs.get(field) or None) != (ours[field] or None)]
    if theirs["message"] != ours["message"]:
        found.append("message")
    if theirs["preemption"] != ours["preemption"]:
        found.append("preemption")
    return [f"{field}: scheduler {theirs.get(field)!r}, ours {ours[field]!r}" for field in found]


@pytest.mark.parametrize("number", range(SHARDS))
def test_every_pod_on_every_node_is_judged_as_the_scheduler_judges_it(number: int) -> None:
    wrong = []
    for cluster in shard(number):
        ours = told(cluster)
        assert ours.keys() == {verdict["pod"] for verdict in cluster.verdicts}
        for theirs in cluster.verdicts:
            wrong += [f"seed {cluster.seed} {theirs['pod']}: {one}" for one in differences(theirs, ours[theirs["pod"]])]
    assert not wrong, "\n".join(wrong[:20])


def test_nothing_was_left_out() -> None:
    clusters = [cluster for number in range(SHARDS) for cluster in shard(number)]
    judged = [verdict for cluster in clusters for verdict in cluster.verdicts]
    pairs = sum(len(verdict["nodes"]) for verdict in judged)
    assert {"clusters": len(clusters), "pods": len(judged), "pairs": pairs} == TOTALS
