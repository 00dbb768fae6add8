"""Pods that see GPUs without asking for one, told where a pod misses GPU memory."""

import pytest

from bot.domain.node import Condition
from bot.domain.pod import Container, Pod
from bot.domain.view import View
from bot.why.finding import Finding, Level
from bot.why.stages.untracked_gpus import STAGE
from tests.factories import a_claim, a_node, a_pod, a_slice, owned_by
from tests.why.builders_stack import a_runtime_class, a_stack_pod, a_stack_view, asked, crashing, evidence

FREE = (
    "ValueError: Free memory on device cuda:0 (11.96/184.3 GiB) on startup is less than desired GPU memory utilization"
)
UNREADY = (Condition("Ready", "False"),)
VICTIM = a_pod("emb-0", states=(crashing("vllm", 3),), conditions=UNREADY)
NOTEBOOK = a_pod(
    "notebook", gpus=0, namespace="dev", runtime_class="nvidia", containers=(Container("nb", visible_devices="all"),)
)


def found(view: View, word: str = "emb-0", line: str = FREE, previous: bool = False) -> list[Finding]:
    key = "llm/emb-0/vllm/previous" if previous else "llm/emb-0/vllm"
    return list(STAGE.judge(asked(view, word, evidence({key: line}))))


@pytest.mark.parametrize(
    ("line", "previous"),
    [
        pytest.param(FREE, False, id="an engine that wants more than is free"),
        pytest.param(FREE, True, id="in the log before"),
        pytest.param(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", False, id="CUDA out of memory"
        ),
    ],
)
def test_the_memory_is_with_a_pod_that_nobody_counts(line: str, previous: bool) -> None:
    finding = found(a_stack_view(a_node(), VICTIM, NOTEBOOK), line=line, previous=previous)[0]
    assert (finding.id, finding.level) == ("untracked_gpus.memory", Level.ROOT)
    assert "dev/notebook, which sees its GPUs without a GPU request" in finding.sentence
    assert "NVIDIA_VISIBLE_DEVICES=all" in finding.evidence[0]
    assert finding.remedies[0].command == "kubectl -n dev delete pod notebook"


def test_several_are_all_listed() -> None:
    other = a_pod("lab-0", gpus=0, namespace="dev", runtime_class="nvidia", owner=owned_by("DaemonSet", "lab"))
    finding = found(a_stack_view(a_node(), VICTIM, NOTEBOOK, other))[0]
    assert "dev/lab-0 and dev/notebook, which see its GPUs" in finding.sentence
    assert "DaemonSet dev/lab" in " ".join(one.action for one in finding.remedies)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(a_pod("web-0", gpus=0), id="a pod without GPUs"),
        pytest.param(a_pod("other-0", gpus=2, runtime_class="nvidia"), id="a pod that asks for them"),
        pytest.param(a_pod("far-0", node="gpu-2", gpus=0, runtime_class="nvidia"), id="a pod on another node"),
        pytest.param(a_stack_pod("nvidia-device-plugin-x", runtime_class="nvidia"), id="the device plugin"),
        pytest.param(a_stack_pod("dcgm-exporter-x", image="dcgm-exporter:4", runtime_class="nvidia"), id="an exporter"),
        pytest.param(a_pod("kata-0", gpus=0, runtime_class="kata"), id="another runtime"),
        pytest.param(a_pod("done-0", gpus=0, runtime_class="nvidia", phase="Failed"), id="a pod that has ended"),
    ],
)
def test_these_take_nothing_unseen(other: Pod) -> None:
    assert found(a_stack_view(a_node(), VICTIM, other)) == []


def test_a_class_of_any_name_with_nvidias_handler_counts() -> None:
    other = a_pod("lab-0", gpus=0, runtime_class="fast")
    assert found(a_stack_view(a_node(), VICTIM, other, a_runtime_class("fast", "nvidia")))


@pytest.mark.parametrize(
    "line", [pytest.param("ImportError: no module named x", id="another reason"), pytest.param("", id="an empty log")]
)
def test_without_a_word_of_memory_nothing_is_said(line: str) -> None:
    assert found(a_stack_view(a_node(), VICTIM, NOTEBOOK), line=line) == []


def test_a_pod_that_is_well_is_left_alone() -> None:
    assert found(a_stack_view(a_node(), a_pod("emb-0"), NOTEBOOK)) == []
    assert STAGE.wants(asked(a_stack_view(a_node(), a_pod("emb-0"), NOTEBOOK), "emb-0")).refs == ()


def test_of_a_node_it_is_a_note() -> None:
    finding = found(a_stack_view(a_node(), NOTEBOOK), "gpu-1")[0]
    assert (finding.id, finding.level) == ("untracked_gpus.present", Level.NOTE)
    assert "dev/notebook" in finding.sentence


def test_the_gpu_is_handed_out_twice() -> None:
    claimed = a_pod("new-0", gpus=0, claims=("c",))
    view = a_stack_view(a_node(), a_slice("gpu-1", 8), a_claim("c", ("gpu-1", "gpu-0"), pod="new-0"), claimed, VICTIM)
    finding = found(view)[0]
    assert (finding.id, finding.level) == ("untracked_gpus.doubled", Level.ROOT)
    assert "offered twice" in finding.sentence
    assert "llm/new-0" in " ".join(finding.evidence)
