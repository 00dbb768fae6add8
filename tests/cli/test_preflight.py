"""`gpubot preflight`: exit statuses for a gate, JSON, JUnit's XML, and one sentence for what is wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Ran

Gpubot = Callable[..., Ran]
NODE = """
apiVersion: v1
kind: Node
metadata:
  name: {name}
  creationTimestamp: "2026-11-01T00:00:00Z"
  labels: {{nvidia.com/gpu.product: NVIDIA-H200, nvidia.com/gpu.count: "8", pool: {pool},
           nvidia.com/cuda.driver-version.full: 580.95.05}}
status:
  capacity: {{cpu: "192", pods: "110", nvidia.com/gpu: "8"}}
  allocatable: {{cpu: "192", pods: "110", nvidia.com/gpu: "{healthy}"}}
  conditions: [{{type: Ready, status: "True"}}]
---
"""
PLUGIN = """
apiVersion: v1
kind: Pod
metadata: {{name: plugin-{name}, namespace: gpu, labels: {{app: nvidia-device-plugin}}}}
spec: {{nodeName: {name}, containers: [{{name: main, image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0}}]}}
status: {{phase: Running, containerStatuses: [{{name: main, ready: true}}]}}
---
"""
NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: llm}}"


def a_folder(at: Path, text: str, complete: str = "Node, Pod, Event") -> str:
    at.mkdir(exist_ok=True)
    (at / "objects.yaml").write_text(text)
    (at / "case.yaml").write_text(f'id: C1\nnow: "2026-11-30T12:00:00Z"\ncomplete: [{complete}]\n')
    return str(at)


def a_node(name: str, *, healthy: int = 8, pool: str = "h200", plugin: bool = True) -> str:
    given = {"name": name, "healthy": healthy, "pool": pool}
    return NODE.format(**given) + (PLUGIN.format(**given) if plugin else "")


@pytest.mark.parametrize(
    ("text", "complete", "status", "words"),
    [
        pytest.param(a_node("gpu-1"), "Node, Pod", 0, "Ready: gpu-1 passes.", id="ready"),
        pytest.param(
            a_node("gpu-1", healthy=7), "Node, Pod", 1, "Not ready: 1 of 1 GPU node fails a point: gpu-1 (resource).",
            id="not ready",
        ),
        pytest.param(a_node("gpu-1", plugin=False), "Node, Pod", 2, "Could not tell: 1 of 1", id="a required point"),
        pytest.param(a_node("gpu-1", plugin=False), "Node", 2, "(plugin)", id="pods were not read"),
        pytest.param(NAMESPACE, "Pod", 2, "Could not tell: nodes were not read.", id="nodes were not read"),
        pytest.param(NAMESPACE, "Node", 2, "there is no GPU node among 0 nodes", id="nothing to judge"),
    ],
)  # fmt: skip
def test_the_exit_status(gpubot: Gpubot, tmp_path: Path, text: str, complete: str, status: int, words: str) -> None:
    ran = gpubot("preflight", "--from", a_folder(tmp_path / "case", text, complete))
    assert (ran.status, ran.err) == (status, "")
    assert words in ran.out


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        pytest.param(["--pool", "h200"], 0, "Ready", id="a pool that passes"),
        pytest.param(["--pool", "A10"], 1, "a10-1 (resource)", id="a pool that fails, in any case"),
        pytest.param(["--node", "gpu-1"], 0, "Ready", id="a node"),
    ],
)
def test_a_part(gpubot: Gpubot, tmp_path: Path, arguments: list[str], status: int, words: str) -> None:
    folder = a_folder(tmp_path / "case", a_node("gpu-1") + a_node("a10-1", pool="a10", healthy=7))
    ran = gpubot("preflight", "--from", folder, *arguments)
    assert ran.status == status
    assert words in ran.out.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--pool", "b200"], "No pool of GPU nodes is called “b200”; there are: h200.", id="no such pool"),
        pytest.param(["--node", "gpu-9"], "No GPU node is called “gpu-9”; there are: gpu-1.", id="no such node"),
        pytest.param(["--context", "x"], "two sources", id="two sources"),
        pytest.param(["--junit", "missing/x.xml"], "cannot be written", id="a file that cannot be written"),
        pytest.param(["h200"], "See `gpubot", id="a word too many"),
    ],
)
def test_wrong_use_is_one_sentence(gpubot: Gpubot, tmp_path: Path, arguments: list[str], words: str) -> None:
    ran = gpubot("preflight", "--from", a_folder(tmp_path / "case", a_node("gpu-1")), *arguments)
    assert (ran.status, ran.out) == (3, "")
    assert words in ran.err


def test_the_whole_as_json(gpubot: Gpubot, tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "case", a_node("gpu-1") + a_node("gpu-2", healthy=7))
    ran = gpubot("preflight", "--json", "--from", folder)
    told = json.loads(ran.out)
    assert (ran.status, told["verdict"], told["cause"]["id"]) == (1, "not ready", "preflight.not_ready")
    assert [node["name"] for node in told["nodes"]] == ["gpu-1", "gpu-2"]
    assert [len(node["points"]) for node in told["nodes"]] == [10, 10]
    resource = told["nodes"][1]["points"][3]
    assert (resource["id"], resource["state"], resource["required"]) == ("resource", "not ok", True)
    assert resource["evidence"][0] == "capacity 8, allocatable 7; pods there hold 0"
    assert resource["fix"] == resource["remedies"][0]
    assert "nvidia-smi" in resource["fix"]["command"]
    assert {(point["id"], point["ok"], point["not_ok"], point["unknown"]) for point in told["points"]} >= {
        ("resource", 1, 1, 0),
        ("weights", 0, 0, 2),
    }
    assert any(line.startswith("errors, heat and links") for line in told["unknown"])
    assert told["text"].startswith("Not ready: 1 of 2 GPU nodes fails a point: gpu-2 (resource).")


def test_junit_is_written_beside_the_text(gpubot: Gpubot, tmp_path: Path) -> None:
    folder, file = a_folder(tmp_path / "case", a_node("gpu-1", healthy=7)), tmp_path / "preflight.xml"
    ran = gpubot("preflight", "--from", folder, "--junit", str(file))
    assert ran.status == 1
    assert ran.out.startswith("Not ready")
    root = ElementTree.parse(file).getroot()
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [("h200", "10", "1")]


def test_the_same_answer_as_in_a_channel(gpubot: Gpubot, tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "case", a_node("gpu-1", healthy=7))
    asked = gpubot("ask", "--from", folder, "gpu preflight pool=h200")
    assert asked.out == gpubot("preflight", "--from", folder, "--pool", "h200").out
    assert asked.status == 0, "the question was answered; only the gate's status says how"
