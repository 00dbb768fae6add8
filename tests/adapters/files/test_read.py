"""A folder or file as a cluster: its records, its now, and how well each kind is known."""

import io
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters.files import Loaded, read
from bot.domain.errors import ConfigError
from bot.domain.source import Reading

CLOCK = datetime(2027, 1, 1, tzinfo=UTC)
NODE = """\
apiVersion: v1
kind: Node
metadata:
  creationTimestamp: "2026-11-01T08:00:00Z"
  labels:
    nvidia.com/gpu.count: "8"
    pool: "yes"
  name: gpu-a
status:
  allocatable:
    cpu: "64"
    nvidia.com/gpu: "8"
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  creationTimestamp: 2026-11-30T11:00:00Z
  name: glm-0
  namespace: llm
spec:
  containers:
  - name: vllm
    resources:
      limits:
        cpu: 0.5
        nvidia.com/gpu: 4
  nodeName: gpu-a
"""
CASE = 'now: "2026-11-30T12:00:00Z"\ncomplete: [Node, Job]\n'


def folder(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)
    return root


def load(path: Path, at: datetime | str | None = None) -> Loaded:
    return read(path, at=at, now=CLOCK)


def test_a_case_folder_gives_the_records_of_a_live_cluster(tmp_path: Path) -> None:
    loaded = load(folder(tmp_path, case__yaml=CASE, objects__yaml=f"{NODE}---\n{POD}"))
    view = loaded.view
    assert view.nodes["gpu-a"].labels == {"nvidia.com/gpu.count": "8", "pool": "yes"}
    assert view.nodes["gpu-a"].allocatable == {"cpu": 64_000, "nvidia.com/gpu": 8}
    assert view.pods["llm/glm-0"].requests == {"cpu": 500, "nvidia.com/gpu": 4}
    assert view.pods["llm/glm-0"].created == "2026-11-30T11:00:00Z"
    assert view.requested_on("gpu-a") == {"cpu": 500, "nvidia.com/gpu": 4, "pods": 1}
    assert loaded.now == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert (loaded.skipped, loaded.ignored) == ((), {})


@pytest.mark.parametrize(
    ("kind", "reading", "detail"),
    [
        pytest.param("nodes", Reading.READ, "", id="listed as complete, and there"),
        pytest.param("jobs", Reading.READ, "", id="listed as complete: there are none"),
        pytest.param("pods", Reading.UNREAD, "1 in the folder, not said to be all", id="there, but not listed"),
        pytest.param("namespaces", Reading.UNREAD, "not in the folder", id="neither there nor listed"),
    ],
)
def test_what_a_case_folder_knows(tmp_path: Path, kind: str, reading: Reading, detail: str) -> None:
    view = load(folder(tmp_path, case__yaml=CASE, objects__yaml=f"{NODE}---\n{POD}")).view
    source = view.source(kind)
    assert (source.reading, source.detail) == (reading, detail)
    assert source.heard_at == (None if reading is Reading.UNREAD else datetime(2026, 11, 30, 12, tzinfo=UTC))


def test_a_case_may_say_what_its_maker_was_not_allowed_to_read(tmp_path: Path) -> None:
    view = load(folder(tmp_path, case__yaml=CASE + "forbidden: [Pod]\n", objects__yaml=NODE)).view
    assert view.source("pods").reading is Reading.FORBIDDEN


def test_other_files_know_the_kinds_that_they_hold(tmp_path: Path) -> None:
    view = load(folder(tmp_path, a__yml=NODE, b__yaml=POD)).view
    assert (view.source("nodes").reading, view.source("nodes").detail) == (Reading.READ, "as in the file")
    assert view.source("jobs").reading is Reading.UNREAD
    assert set(view.pods) == {"llm/glm-0"}


def test_a_dump_knows_all_nodes_and_the_namespaces_it_went_through(tmp_path: Path) -> None:
    dump(tmp_path, "llm", "kube-system")
    view = load(tmp_path).view
    assert set(view.nodes) == {"gpu-a"}
    assert set(view.pods) == {"llm/glm-0", "kube-system/glm-0"}
    assert view.source("nodes").reading is Reading.READ
    assert view.source("pods").reading is Reading.UNREAD
    assert view.source("pods").detail == "2 in the dump, which is not of all namespaces (only kube-system, llm)"
    assert view.source("jobs").detail == "a dump does not hold it"


def test_a_dump_of_all_namespaces_shows_in_the_two_that_every_cluster_has(tmp_path: Path) -> None:
    dump(tmp_path, "llm", "kube-system", "kube-public", "kube-node-lease")
    view = load(tmp_path).view
    assert (view.source("pods").reading, view.source("pods").detail) == (Reading.READ, "")
    assert (view.source("replicasets").reading, view.source("jobs").reading) == (Reading.READ, Reading.UNREAD)


def dump(root: Path, *namespaces: str) -> None:
    (root / "nodes.json").write_text('{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"gpu-a"}}]}')
    for namespace in namespaces:
        (root / namespace).mkdir()
        items = f'[{{"metadata":{{"name":"glm-0","namespace":"{namespace}"}},"spec":{{}}}}]'
        (root / namespace / "pods.json").write_text(f'{{"kind":"PodList","apiVersion":"v1","items":{items}}}')
        (root / namespace / "events.json").write_text('{"kind":"EventList","apiVersion":"v1","items":null}')


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(POD.encode())))
    loaded = load(Path("-"))
    assert (loaded.view.cluster, set(loaded.view.pods)) == ("standard input", {"llm/glm-0"})


@pytest.mark.parametrize(
    ("files", "at", "expected"),
    [
        pytest.param({"case__yaml": CASE, "a__yaml": POD}, None, "2026-11-30T12:00:00", id="what case.yaml says"),
        pytest.param({"a__yaml": f"{NODE}---\n{POD}"}, None, "2026-11-30T11:00:00", id="else the newest time in the objects"),
        pytest.param({"a__yaml": "kind: Pod\n"}, None, "2026-11-29T00:00:00", id="else when the file was written"),
        pytest.param({"a__yaml": POD}, "12:30", "2026-11-30T12:30:00", id="a time of the folder's own day"),
        pytest.param({"a__yaml": POD}, "2026-12-01", "2026-12-01T00:00:00", id="the time asked for"),
        pytest.param({"a__yaml": POD}, datetime(2026, 12, 2, tzinfo=UTC), "2026-12-02T00:00:00", id="as a time"),
    ],
)  # fmt: skip
def test_now(tmp_path: Path, files: dict[str, str], at: datetime | str | None, expected: str) -> None:
    folder(tmp_path, **files)
    written = datetime(2026, 11, 29, tzinfo=UTC).timestamp()
    for file in tmp_path.iterdir():
        os.utime(file, (written, written))
    assert load(tmp_path, at).now.isoformat() == f"{expected}+00:00"


def test_data_is_as_old_as_the_folder_whatever_time_is_asked_for(tmp_path: Path) -> None:
    loaded = load(folder(tmp_path, a__yaml=POD), at="12:30")
    assert loaded.view.source("pods").age_seconds(loaded.now) == 90 * 60


def test_a_broken_object_is_skipped_and_told_and_the_rest_is_read(tmp_path: Path) -> None:
    odd = "kind: Pod\napiVersion: v1\nmetadata: {name: odd, labels: {a: [1]}}\nspec: {}\n"
    loaded = load(folder(tmp_path, objects__yaml=f"{POD}---\n{odd}"))
    assert set(loaded.view.pods) == {"llm/glm-0"}
    assert [(one.kind, one.key, one.place.line) for one in loaded.skipped] == [("Pod", "odd", 16)]
    assert "objects.yaml, line 16: Pod odd: " in str(loaded.skipped[0])
    assert loaded.view.source("pods").detail.startswith("as in the file; 1 could not be read, such as odd")


def test_kinds_that_are_not_read_are_counted(tmp_path: Path) -> None:
    other = "kind: Gizmo\napiVersion: acme.com/v1\n---\nkind: Pod\napiVersion: acme.com/v1\n"
    assert load(folder(tmp_path, a__yaml=f"{POD}---\n{other}")).ignored == {"Gizmo": 1, "Pod": 1}


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({}, "is empty: a folder of Kubernetes objects is read", id="an empty folder"),
        pytest.param({"readme__md": "x"}, r"holds no file that ends in \.yaml, \.yml, \.json", id="a folder of other files"),
        pytest.param({"a__yaml": "# nothing\n"}, r"no Kubernetes object in .*a\.yaml", id="a file without an object"),
        pytest.param({"case__yaml": "now: soon\n", "a__yaml": POD}, r"case\.yaml: now: 'soon' is not a time", id="a case whose now is none"),
        pytest.param({"case__yaml": "complete: Pod\n", "a__yaml": POD}, r"case\.yaml: Expected `array.*\$\.complete", id="a case whose list is none"),
        pytest.param({"case__yaml": "- a\n", "a__yaml": POD}, r"case\.yaml: Expected `object`", id="a case that is a list"),
    ],
)  # fmt: skip
def test_refuses(tmp_path: Path, files: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        load(folder(tmp_path, **files))


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="absent does not exist"):
        load(tmp_path / "absent")


def test_a_complete_folder_may_hold_nothing(tmp_path: Path) -> None:
    view = load(folder(tmp_path, case__yaml=CASE)).view
    assert (view.knows("nodes"), dict(view.nodes)) == (True, {})


def test_a_time_without_a_zone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no time zone"):
        load(folder(tmp_path, a__yaml=POD), at=datetime(2026, 11, 30))  # noqa: DTZ001  # that is the point


def test_a_large_file_loads_within_its_time(tmp_path: Path) -> None:
    many = "---\n".join(POD.replace("glm-0", f"glm-{n}") for n in range(2_500))  # 37,000 lines
    file = tmp_path / "pods.yaml"
    file.write_text(many)
    started = datetime.now(UTC)
    assert len(load(file).view.pods) == 2_500
    assert (datetime.now(UTC) - started).total_seconds() < 6  # about 0.6 s on a quiet core
