"""`gpubot ask`: answers, exit statuses, and one clear sentence for everything that is wrong."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran

OBJECTS = """
apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  creationTimestamp: "2026-11-01T00:00:00Z"
  labels: {nvidia.com/gpu.product: NVIDIA-H200, nvidia.com/gpu.count: "8"}
status:
  capacity: {cpu: "192", memory: 2Ti, pods: "110", nvidia.com/gpu: "8"}
  allocatable: {cpu: "192", memory: 2Ti, pods: "110", nvidia.com/gpu: "8"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: v1
kind: Pod
metadata: {name: glm-0, namespace: llm, creationTimestamp: "2026-11-29T00:00:00Z"}
spec:
  nodeName: gpu-1
  containers:
  - name: vllm
    resources: {limits: {nvidia.com/gpu: "3"}, requests: {nvidia.com/gpu: "3"}}
status: {phase: Running}
"""
ROOT = Path(__file__).parents[2]
Gpubot = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    case = tmp_path / "case"
    case.mkdir()
    (case / "objects.yaml").write_text(OBJECTS)
    (case / "case.yaml").write_text('id: C1\nnow: "2026-11-30T12:00:00Z"\ncomplete: [Node, Pod, Namespace]\n')
    return case


def test_an_answer_from_a_folder(gpubot: Gpubot, folder: Path) -> None:
    ran = gpubot("ask", "--from", str(folder), "gpu status")
    assert ran.status == 0
    assert ran.out.startswith("H200: 5 of 8 free, all on gpu-1.")
    assert "(2026-11-30 12:00:00 UTC)" in ran.out


def test_words_of_a_line_need_no_quotes(gpubot: Gpubot, folder: Path) -> None:
    assert (
        gpubot("ask", "--from", str(folder), "gpu", "status").out
        == gpubot("ask", "--from", str(folder), "gpu status").out
    )


def test_the_answer_as_json(gpubot: Gpubot, folder: Path) -> None:
    answer = json.loads(gpubot("ask", "--json", "--from", str(folder), "gpu status").out)
    assert answer["cause"]["id"] == "gpu.free"
    assert answer["cause"]["sentence"].startswith("H200: 5 of 8 free")
    assert answer["numbers"]["H200"]["free"] == 5
    assert {
        "question",
        "cluster",
        "as_of",
        "evidence",
        "holders",
        "remedies",
        "unknown",
        "sources",
        "text",
    } <= answer.keys()
    assert {source["name"] for source in answer["sources"]} >= {"nodes", "pods"}
    assert answer["text"].startswith(answer["cause"]["sentence"])


def test_kinds_that_were_not_read_are_unknown_and_the_status_says_so(gpubot: Gpubot, folder: Path) -> None:
    (folder / "case.yaml").write_text('id: C1\nnow: "2026-11-30T12:00:00Z"\ncomplete: [Node]\n')
    ran = gpubot("ask", "--from", str(folder), "gpu status")
    assert ran.status == 2
    assert "How many are free cannot be told" in ran.out
    assert "none of" not in ran.out


def test_the_same_time_can_be_given(gpubot: Gpubot, folder: Path) -> None:
    assert "1 h old" in gpubot("ask", "--from", str(folder), "--at", "2026-11-30T13:00:00Z", "gpu status").out


WRONG = [
    pytest.param(["ask", "gpu statsu"], "There is no command “statsu”; did you mean `/gpu status`?", id="a mistyped command"),
    pytest.param(["ask", "--from", "{folder}", "gpu status --by colour"], "`by` cannot be “colour”", id="a wrong choice"),
    pytest.param(["ask", "--from", "{folder}", "gpu status @prod"], "@prod is not open here", id="an unknown cluster"),
    pytest.param(["ask", "--from", "{folder}", "gpu status product=RTX9999"], "there are: H200", id="an unknown product"),
    pytest.param(["ask", "--from", "{folder}/none", "gpu status"], "none", id="a missing folder"),
    pytest.param(["ask", "--from", "{broken}", "gpu status"], "line 3", id="broken YAML"),
    pytest.param(["ask", "--from", "{folder}", "--at", "yesterday", "gpu status"], "yesterday", id="a time that is none"),
    pytest.param(["ask", "--at", "2026-11-30T12:00:00Z", "gpu status"], "--at needs --from", id="a time for a live cluster"),
    pytest.param(["ask", "--from", "{folder}", "--kubeconfig", "x", "gpu status"], "two sources", id="two sources"),
    pytest.param(["ask", "--kubeconfig", "{folder}/none", "gpu status"], "none", id="a missing kubeconfig"),
    pytest.param(["ask", "--kubeconfig", "{broken}", "gpu status"], "broken.yaml", id="a broken kubeconfig"),
    pytest.param(["ask", "--kubeconfig", "{kubeconfig}", "--context", "nowhere", "gpu status"], "nowhere", id="an unknown context"),
    pytest.param(["ask"], "LINE", id="nothing to ask"),
    pytest.param(["ask", "--colour", "gpu status"], "--colour", id="an unknown option"),
    pytest.param(["frobnicate"], "frobnicate", id="an unknown verb"),
    pytest.param(["demo", "--scenario", "nosuch"], "there are: ", id="an unknown scenario"),
    pytest.param(["demo", "--port", "99999"], "99999", id="a port that is none"),
    pytest.param(["demo", "--speed", "0"], "0.1 to 1000", id="a speed that is none"),
    pytest.param(["run", "--config", "{broken}"], "line 3", id="broken settings"),
    pytest.param(["run"], "SLACK_BOT_TOKEN is not set", id="no token"),
    pytest.param(["manifest", "--docs", "{folder}/none/x.md"], "cannot be written", id="a page that cannot be written"),
]  # fmt: skip
KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: u, user: {token: hush}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
"""


@pytest.mark.parametrize(("arguments", "says"), WRONG)
def test_wrong_use_is_one_sentence_and_status_3(
    gpubot: Gpubot, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.delenv("SLACK_BOT_TOKEN", raising=False)
    (tmp_path / "broken.yaml").write_text("a: 1\nb: [1, 2\nc: 3\n")
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    places = {"folder": folder, "broken": tmp_path / "broken.yaml", "kubeconfig": tmp_path / "kubeconfig"}
    ran = gpubot(*(argument.format(**places) for argument in arguments))
    assert (ran.status, ran.out) == (3, "")
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert "Traceback" not in ran.err


def test_a_server_that_is_not_there_is_status_2_with_its_address(gpubot: Gpubot, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    ran = gpubot("ask", "--kubeconfig", str(tmp_path / "kubeconfig"), "gpu status")
    assert ran.status == 2
    assert "http://127.0.0.1:9" in ran.err
    assert "hush" not in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_help_needs_no_cluster(gpubot: Gpubot) -> None:
    ran = gpubot("ask", "help")
    assert ran.status == 0
    assert "/gpu status" in ran.out


def test_a_fault_of_ours_is_one_sentence_with_a_file(
    gpubot: Gpubot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("bot.cli.ask.understand", lambda *_: 1 / 0)
    ran = gpubot("ask", "gpu status")
    assert ran.status == 1
    assert ran.err.startswith("Something broke inside gpubot (gpubot-")
    (trace,) = tmp_path.glob("gpubot-*.txt")
    assert "ZeroDivisionError" in trace.read_text()
    assert trace.name in ran.err


def test_every_verb_has_help(gpubot: Gpubot, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("ask", "run", "demo", "capture", "manifest", "verdicts"):
        with pytest.raises(SystemExit) as ended:
            gpubot(verb, "--help")
        assert ended.value.code == 0
        assert f"usage: gpubot {verb}" in capsys.readouterr().out


def test_asking_imports_only_the_command_that_is_asked(folder: Path) -> None:
    program = (
        "import sys; from bot.cli.entry import run\n"
        f"status = run(['ask', '--from', {str(folder)!r}, 'gpu status'])\n"
        "print(status, sorted(name for name in sys.modules if name.startswith(('commands.', 'bot.why', 'bot.checks'))))"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ran.stdout.splitlines()[-1] == "0 ['commands.status']", ran.stderr


def test_a_line_that_is_not_understood_is_answered_with_all_commands_known(gpubot: Gpubot, folder: Path) -> None:
    ran = gpubot("ask", "--from", str(folder), "gpu stauts")
    assert (ran.status, "did you mean `/gpu status`" in ran.err) == (3, True)
