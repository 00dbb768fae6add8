"""Looking things up in a folder: whole objects, ends of logs, what stands beside them, and what is not there."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.adapters import files
from bot.adapters.files import FileLooker
from bot.domain.evidence import LOG_MAX_BYTES, Evidence, LogRef, MetricsRef, NodeRef, ObjectRef, Ref, Wanted

POD = """
apiVersion: v1
kind: Pod
metadata: {name: glm-0, namespace: llm}
spec: {nodeName: gpu-1, containers: [{name: vllm}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf, namespace: llm}
data: {key: value}
---
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: llm}
data: {key: dmFsdWU=}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: glm, namespace: llm}
spec: {replicas: 2}
"""
SIDE = {
    "logs/llm/glm-0/vllm.txt": "running\n",
    "logs/llm/glm-0/vllm.previous.txt": "ended\n",
    "nodes/gpu-1/kernel.txt": "NVRM: Xid 79\n",
    "nodes/gpu-1/agent.json": "{}",
    "metrics/llm/glm-0.txt": "up 1\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "objects.yaml").write_text(POD)
    for name, text in SIDE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def looked(folder: Path, *refs: Ref) -> Evidence:
    return FileLooker(files.read(folder, now=datetime.now(UTC))).now(Wanted(refs))


@pytest.mark.parametrize(
    ("ref", "path", "value"),
    [
        (ObjectRef("Pod", "llm", "glm-0"), ("spec", "nodeName"), "gpu-1"),
        (ObjectRef("ConfigMap", "llm", "conf"), ("data", "key"), "value"),
    ],
)
def test_objects_come_whole(folder: Path, ref: ObjectRef, path: tuple[str, ...], value: str) -> None:
    assert looked(folder, ref).object(*ref).text(*path) == value


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        (LogRef("llm", "glm-0", "vllm"), "running\n"),
        (LogRef("llm", "glm-0", "vllm", previous=True), "ended\n"),
        (NodeRef("kernel", "gpu-1"), "NVRM: Xid 79\n"),
        (NodeRef("agent", "gpu-1"), "{}"),
        (MetricsRef("llm", "glm-0"), "up 1\n"),
    ],
)
def test_texts_come_as_they_are(folder: Path, ref: Ref, text: str) -> None:
    assert looked(folder, ref).texts == {ref: text}


@pytest.mark.parametrize(
    "ref",
    [
        ObjectRef("Pod", "llm", "glm-9"),
        ObjectRef("Pod", "dev", "glm-0"),
        ObjectRef("Secret", "llm", "token"),
        LogRef("llm", "glm-0", "other"),
        LogRef("llm", "../../etc", "passwd"),
        NodeRef("kernel", "gpu-9"),
        NodeRef("something", "gpu-1"),
        MetricsRef("llm", "glm-9"),
    ],
)
def test_what_is_not_there_is_missing(folder: Path, ref: Ref) -> None:
    assert looked(folder, ref) == Evidence({}, {}, {ref: "not in the folder"})


def test_of_a_long_log_the_end_is_kept_from_a_whole_line_on(folder: Path) -> None:
    lines = "\n".join(f"line {number}" for number in range(LOG_MAX_BYTES // 8))
    (folder / "logs/llm/glm-0/vllm.txt").write_text(f"{lines}\nthe last words")
    text = looked(folder, LogRef("llm", "glm-0", "vllm")).log("llm", "glm-0", "vllm")
    assert len(text) <= LOG_MAX_BYTES
    assert text.startswith("line ")
    assert text.endswith("the last words")


def test_a_log_in_broken_utf8_is_read(folder: Path) -> None:
    (folder / "logs/llm/glm-0/vllm.txt").write_bytes(b"\xff\xfe broken\n")
    assert "broken" in looked(folder, LogRef("llm", "glm-0", "vllm")).log("llm", "glm-0", "vllm")


def test_a_log_that_went_away_is_missing(folder: Path) -> None:
    looker = FileLooker(files.read(folder, now=datetime.now(UTC)))
    ref = LogRef("llm", "glm-0", "vllm")
    assert looker.now(Wanted((ref,))).texts
    (folder / "logs/llm/glm-0/vllm.txt").unlink()
    assert looker.now(Wanted((ref,))).missing == {ref: "cannot be read: No such file or directory"}


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.txt"
    outside.write_text("secret")
    (folder / "logs/llm/glm-0/leak.txt").symlink_to(outside)
    assert looked(folder, LogRef("llm", "glm-0", "leak")).texts == {}


async def test_it_looks_as_a_looker_of_a_live_cluster_does(folder: Path) -> None:
    ref: Any = LogRef("llm", "glm-0", "vllm")
    looker = FileLooker(files.read(folder, now=datetime.now(UTC)))
    assert (await looker.look(Wanted((ref,)), 0.0)).texts == {ref: "running\n"}
