"""The verb `verdicts`: a JSON line for each pod that waits."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli.entry import run

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"allocatable": {"cpu": "4", "pods": "10", "nvidia.com/gpu": "8"}},
}


def a_pod(name: str, gpus: int, **spec: Any) -> dict[str, Any]:
    resources = {"limits": {"nvidia.com/gpu": str(gpus)}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"containers": [{"name": "c", "resources": resources}], **spec},
        "status": {"phase": "Pending"},
    }


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_file_of_objects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    objects = {"kind": "List", "items": [NODE, a_pod("big", 9), a_pod("fits", 8), a_pod("bound", 1, nodeName="n1")]}
    (tmp_path / "all.json").write_text(json.dumps(objects))
    assert run(["verdicts", "--from", str(tmp_path / "all.json")]) == 0
    big, fits = lines(capsys)
    assert (big["pod"], big["reason"], big["feasible"]) == ("ml/big", "Unschedulable", [])
    assert big["first"] == {
        "n1": {
            "plugin": "NodeResourcesFit",
            "code": "UnschedulableAndUnresolvable",
            "reasons": ["Insufficient nvidia.com/gpu"],
        }
    }
    assert (fits["pod"], fits["feasible"]) == ("ml/fits", []), "one of the eight is taken"
    assert fits["nodes"]["n1"][0]["code"] == "Unschedulable"


def test_many_clusters_keep_their_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(tmp_path / "many.jsonl.gz", "wt") as out:
        out.write(json.dumps({"seed": 7, "objects": [NODE, a_pod("fits", 8)]}) + "\n\n")
        out.write(json.dumps({"kind": "List", "apiVersion": "v1", "items": [NODE, a_pod("big", 9)]}) + "\n")
    assert run(["verdicts", "--jsonl", str(tmp_path / "many.jsonl.gz")]) == 0
    first, second = lines(capsys)
    assert (first["seed"], first["feasible"], first["message"]) == (7, ["n1"], "")
    assert "seed" not in second
    assert second["message"].startswith("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        pytest.param(["--jsonl", "missing.jsonl"], 3, "cannot be read", id="a file that is not there"),
        pytest.param(["--jsonl", "odd.jsonl"], 3, "odd.jsonl, line 1: not a cluster", id="a line that is no JSON"),
        pytest.param(["--jsonl", "odd.jsonl", "--from", "x"], 3, "source of its own", id="two sources"),
    ],
)
def test_what_cannot_be_read_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.jsonl").write_text("{")
    assert run(["verdicts", *arguments]) == status
    assert words in capsys.readouterr().err
