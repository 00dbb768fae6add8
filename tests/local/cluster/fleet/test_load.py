from datetime import timedelta

import pytest

from bot.local.cluster.fleet import FleetError, load_fleet, load_scenario, scenarios
from bot.local.cluster.fleet.duration import parse_duration
from bot.local.cluster.fleet.load import expand, node_specs
from bot.local.cluster.fleet.manifest import workload_manifest
from bot.local.cluster.fleet.schema import Nodes, Workload


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("41d", timedelta(days=41), id="days"),
        pytest.param("2h10m", timedelta(hours=2, minutes=10), id="two units"),
        pytest.param("0s", timedelta(), id="now"),
    ],
)
def test_durations(text, expected):
    assert parse_duration(text) == expected


@pytest.mark.parametrize("text", ["", "2", "h", "2w", "-2h", "2h "])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)


def test_names_in_a_range():
    assert expand("gpu-[9-11]") == ["gpu-9", "gpu-10", "gpu-11"]
    assert expand("solo") == ["solo"]
    assert [spec.name for spec in node_specs(Nodes(names="a[1-2]", pool="a"))] == ["a1", "a2"]


@pytest.mark.parametrize("name", scenarios())
def test_every_scenario_loads(name):
    assert load_scenario(name).title


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param("nodes: [{names: a, pool: a, gpu: 8}]", r"fleet.yaml: .*unknown field `gpu` - at `\$.nodes\[0\]`", id="a typing mistake"),
        pytest.param("nodes: [{names: a}]", r"missing required field `pool`", id="something missing"),
        pytest.param("nodes: [{names: a, pool: a, gpus: many}]", r"Expected `int`, got `str` - at `\$.nodes\[0\].gpus`", id="a wrong type"),
        pytest.param("nodes: [{names: a, pool: a, product: H200}]", "nodes a: unknown product H200", id="an unknown product"),
        pytest.param("nodes: [{names: a, pool: a}, {names: a, pool: b}]", "two nodes are named a", id="a name given twice"),
        pytest.param("nodes: [{names: a, pool: a, age: old}]", "not a duration .*'old'", id="an age that is none"),
        pytest.param("faults: [{fault: flood, age: 1m}]", "there is no fault flood", id="an unknown fault"),
        pytest.param("workloads: [{kind: Pod, namespace: x, name: p, age: 1h, image: i}]", "Pod x/p: there is no namespace x", id="a namespace that is not there"),
        pytest.param(
            "namespaces: [{name: x}]\nworkloads: [{kind: Pod, namespace: x, name: p, age: 1h, image: i, hosts: [z]}]",
            "Pod x/p: there is no node z",
            id="a node that is not there",
        ),
        pytest.param("parts: [other]", "other.yaml: there is no such file", id="a part that is not there"),
        pytest.param("nodes: [", "fleet.yaml: while parsing", id="no YAML"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, content, complaint):
    path = tmp_path / "fleet.yaml"
    path.write_text(content)
    with pytest.raises(FleetError, match=complaint):
        load_fleet(path)


def test_an_unknown_scenario_is_answered_with_the_known_ones():
    with pytest.raises(FleetError, match="no scenario 'calm': big, default, empty, healthy, storm"):
        load_scenario("calm")


def test_a_workload_becomes_a_manifest_with_its_team():
    workload = Workload(
        kind="StatefulSet", namespace="llm", name="glm", age="2h", image="i", gpus=8, product="NVIDIA-H200",
        hosts=["gpu-1"], run_seconds=60,
    )  # fmt: skip
    found = workload_manifest(workload, "llm")
    pod = found["spec"]["template"]
    assert found["metadata"]["labels"] == pod["metadata"]["labels"] == {"app": "glm", "team": "llm"}
    assert pod["metadata"]["annotations"] == {"gpubot.dev/sim-run-seconds": "60"}
    assert pod["spec"]["nodeSelector"] == {"nvidia.com/gpu.product": "NVIDIA-H200"}
    assert pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "8"
