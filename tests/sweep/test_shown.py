"""What a person sees: one screen for any cluster, the first line enough, and an exit status for scripts."""

import json
from pathlib import Path

import pytest

from bot.cli.entry import run
from bot.domain.evidence import LogRef
from bot.domain.pod import Pod
from bot.gpu.inventory import Inventory
from bot.sweep.gather import LOGS
from bot.sweep.sweep import wanted
from bot.sweep.trouble import Sweep
from bot.views.sweep import TEXT_MAX, show
from bot.views.text import render
from tests.factories import NOW, POLICY, a_node, a_pod
from tests.sweep.building import OLD, a_cluster_of, swept
from tests.sweep.test_sweep import old_node, waiting

NODE = """
apiVersion: v1
kind: Node
metadata: {name: gpu-1, creationTimestamp: "2026-11-01T00:00:00Z", labels: {nvidia.com/gpu.count: "8"}}
status:
  capacity: {cpu: "192", memory: 2Ti, pods: "110", nvidia.com/gpu: "8"}
  allocatable: {cpu: "192", memory: 2Ti, pods: "110", nvidia.com/gpu: "%d"}
  conditions: [{type: Ready, status: "True"}]
"""


def text(found: Sweep, view: object = None) -> str:
    return render(show(found, a_cluster_of(), NOW).document)


def many(count: int) -> list[Pod]:
    """Pods of as many owners, each with a name that is as long as it may be."""
    return [waiting(f"{'engine-with-a-long-name-' * 6}{index}", gpus=16) for index in range(count)]


@pytest.mark.parametrize("count", [1, 7, 20, 300])
def test_any_number_of_problems_fits_one_screen_and_is_counted(count: int) -> None:
    found = swept(a_cluster_of(old_node(), *many(count)))
    shown = text(found)
    assert len(shown) <= TEXT_MAX
    assert shown.startswith(f"{len(found.entries):,} problem{'' if count == 1 else 's'}: ")
    assert len(found.entries) + found.left == count
    if found.left:
        assert f"{found.left} more groups of pods that do not run" in shown


def test_the_first_line_of_a_quiet_cluster_says_what_was_not_seen() -> None:
    first = text(swept(a_cluster_of(old_node()))).splitlines()[0]
    assert first.startswith("Nothing is firing: all is quiet on 1 GPU node (")
    assert "not seen: the GPUs themselves on gpu-1" in first


def test_a_cluster_that_was_not_read_is_not_quiet() -> None:
    found = swept(a_cluster_of(unread=("nodes", "pods")))
    assert text(found).startswith("Could not tell: ")


def test_an_entry_tells_whom_it_hits_what_shows_it_and_what_to_do() -> None:
    shown = text(swept(a_cluster_of(old_node(healthy=7), waiting())))
    assert "1. critical, for 40 min [plugin.unhealthy]" in shown
    assert "Effect: hits llm/glm-0 (1 pod, 8 GPUs)" in shown
    assert "Proof: " in shown
    assert "Do 1: " in shown


def test_logs_are_wanted_of_so_many_pods_only() -> None:
    nodes = [a_node(f"gpu-{index}", created=OLD) for index in range(120)]
    pods = [
        a_pod(f"p-{index}-{slot}", node=f"gpu-{index}", containers=a_pod().containers)
        for index in range(120)
        for slot in range(4)
    ]
    view = a_cluster_of(*nodes, *pods)
    refs = wanted(view, Inventory(view, POLICY), NOW).refs
    assert sum(isinstance(ref, LogRef) for ref in refs) <= LOGS


@pytest.mark.parametrize(("healthy", "status"), [(8, 0), (7, 1)], ids=["nothing fires", "something does"])
def test_the_exit_status(tmp_path: Path, healthy: int, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "objects.yaml").write_text(NODE % healthy + "---\n" + POD)
    (tmp_path / "case.yaml").write_text("complete: [Pod, Node]\nnow: '2026-11-30T12:00:00Z'\n")
    assert run(["sweep", "--from", str(tmp_path), "--at", "2026-11-30T12:00:00Z"]) == status
    assert capsys.readouterr().out.startswith(
        "Nothing is firing" if status == 0 else "1 problem: gpu-1 offers 7 of its 8"
    )


def test_without_nodes_and_pods_nobody_can_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "objects.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n")
    assert run(["sweep", "--from", str(tmp_path)]) == 2
    assert capsys.readouterr().out.startswith("Could not tell")


def test_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "--verbose"]) == 3
    assert "gpubot --help" in capsys.readouterr().err


def test_json_has_every_problem_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "objects.yaml").write_text(NODE % 7 + "---\n" + POD)
    assert run(["sweep", "--from", str(tmp_path), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["cause"]["id"] == "sweep.firing"
    assert [(one["id"], one["severity"], one["nodes"]) for one in told["problems"]] == [
        ("plugin.unhealthy", "critical", ["gpu-1"])
    ]
    assert told["problems"][0]["remedies"][0]["action"]


POD = """
apiVersion: v1
kind: Pod
metadata: {name: glm-0, namespace: llm, creationTimestamp: "2026-11-29T00:00:00Z"}
spec: {nodeName: gpu-1, containers: [{name: vllm, resources: {limits: {nvidia.com/gpu: "3"}}}]}
status: {phase: Running, conditions: [{type: Ready, status: "True"}]}
"""
