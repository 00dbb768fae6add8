"""A label that feature discovery did not set keeps a pod from a node with free GPUs."""

from typing import Any

import pytest

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec
from bot.domain.selectors import NodeTerm, Requirement
from bot.domain.view import View
from bot.why.finding import Finding, Level
from bot.why.stages.feature_labels import STAGE
from tests.factories import a_node, a_pod, a_taint
from tests.why.builders_stack import a_stack_pod, a_stack_view, asked, crashing, evidence

PRODUCT = "nvidia.com/gpu.product"
TYPE = "node.kubernetes.io/instance-type"
WANTS = PodSpec(node_selector={PRODUCT: "NVIDIA-L40S"})
GFD = "gpu-feature-discovery-x"


def labelled(name: str, **labels: str) -> Node:
    return a_node(name, gpus=4, product="", labels={TYPE: "g6e", PRODUCT: "NVIDIA-L40S"} | labels)


def bare(name: str = "gpu-3", **changed: Any) -> Node:
    return a_node(name, **({"gpus": 4, "product": "", "labels": {TYPE: "g6e"}} | changed))


def waits(spec: PodSpec = WANTS, gpus: int = 2) -> Pod:
    return a_pod(node="", gpus=gpus, spec=spec)


def writer(**changed: Any) -> Pod:
    return a_stack_pod(GFD, node="gpu-3", image="nvcr.io/nvidia/gpu-feature-discovery:v0.17", **changed)


def found(view: View, **given: Any) -> list[Finding]:
    return list(STAGE.judge(asked(view, "glm-0", evidence(**given))))


def test_its_pod_crashes_there() -> None:
    view = a_stack_view(labelled("gpu-1"), labelled("gpu-2"), bare(), waits(), writer(state=crashing(restarts=58)))
    finding = found(view, logs={f"gpu/{GFD}/main": "failed to init NVML: ERROR_UNKNOWN"})[0]
    assert (finding.id, finding.level) == ("feature_labels.missing", Level.ROOT)
    assert "gpu-3 has 4 `nvidia.com/gpu` free and lacks only the label `nvidia.com/gpu.product`" in finding.sentence
    assert "gpu/gpu-feature-discovery-x crashes (58 restarts)" in finding.sentence
    assert "gpu-1 (`NVIDIA-L40S`) and gpu-2 (`NVIDIA-L40S`)" in finding.evidence[0]
    assert "ERROR_UNKNOWN" in finding.evidence[1]
    assert [one.command for one in finding.remedies][1:] == [
        "kubectl -n gpu delete pod gpu-feature-discovery-x",
        "kubectl label node gpu-3 --overwrite nvidia.com/gpu.product=NVIDIA-L40S",
    ]


@pytest.mark.parametrize(
    ("pods", "words"),
    [
        pytest.param((), "no pod of it is on gpu-3", id="no pod of it there"),
        pytest.param((writer(),), "runs there and has not set it", id="it runs all the same"),
    ],
)
def test_how_feature_discovery_stands(pods: tuple[Pod, ...], words: str) -> None:
    assert words in found(a_stack_view(labelled("gpu-1"), bare(), waits(), *pods))[0].sentence


def test_required_affinity_counts_as_a_selector_does() -> None:
    term = NodeTerm((Requirement(PRODUCT, "In", ("NVIDIA-L40S", "NVIDIA-L4")),))
    assert found(a_stack_view(labelled("gpu-1"), bare(), waits(PodSpec(node_terms=(term,)))))


def test_a_pool_makes_nodes_alike_where_no_type_is_told() -> None:
    twin = labelled("gpu-1", pool="l40s")
    twin.labels.pop(TYPE)  # type: ignore[attr-defined]  # a plain dict in tests
    assert found(a_stack_view(twin, bare(labels={"pool": "l40s"}), waits()))


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((labelled("gpu-1"), bare(healthy=1), waits()), id="it has too few GPUs"),
        pytest.param((labelled("gpu-1"), bare(), a_pod("x", node="gpu-3", gpus=3), waits()), id="others hold them"),
        pytest.param((labelled("gpu-1"), bare(unschedulable=True), waits()), id="it is cordoned"),
        pytest.param((labelled("gpu-1"), bare(taints=(a_taint("a=b:NoSchedule"),)), waits()), id="a taint"),
        pytest.param((labelled("gpu-1"), bare(labels={TYPE: "p5"}), waits()), id="another type of machine"),
        pytest.param((bare("gpu-1"), bare(), waits()), id="no node has the label"),
        pytest.param(
            (labelled("gpu-1"), bare(labels={TYPE: "g6e", PRODUCT: "NVIDIA-L4"}), waits()), id="it has another product"
        ),
        pytest.param(
            (labelled("gpu-1", team="a"), bare(), waits(PodSpec(node_selector={PRODUCT: "NVIDIA-L40S", "team": "a"}))),
            id="a label of people's own is missing too",
        ),
        pytest.param((labelled("gpu-1"), bare(), waits(gpus=0)), id="a pod without GPUs"),
        pytest.param((labelled("gpu-1"), bare(), a_pod(node="gpu-1", spec=WANTS)), id="a pod that runs"),
    ],
)
def test_nothing_to_say(records: tuple[Any, ...]) -> None:
    assert found(a_stack_view(*records)) == []


def test_the_writers_log_is_wanted() -> None:
    view = a_stack_view(labelled("gpu-1"), bare(), waits(), writer(state=crashing()))
    assert [f"{one}" for one in STAGE.wants(asked(view, "glm-0")).refs if GFD in f"{one}"]
