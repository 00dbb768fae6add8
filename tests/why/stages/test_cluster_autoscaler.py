"""Cluster Autoscaler: a node that is coming, one that never came, groups that cannot help."""

from typing import Any

import pytest

from bot.domain.event import Event
from bot.domain.evidence import Evidence, LogRef
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec
from bot.why.autoscaler_status import STATUS
from bot.why.finding import Level
from bot.why.stages.cluster_autoscaler import STAGE
from tests.factories import a_cpu_node, a_node
from tests.why.builders_queues import GPU, a_waiting, an_autoscaler, an_event, asked, found, queues_view, told

LOG = LogRef("kube-system", "cluster-autoscaler-0", "cluster-autoscaler")
NO_GPU = "pod didn't trigger scale-up: 1 Insufficient nvidia.com/gpu"


STATUS_TEXT = """autoscalerStatus: Running
nodeGroups:
- health:
    cloudProviderTarget: {target}
    maxSize: {most}
    minSize: 0
    nodeCounts:
      longUnregistered: 0
      registered:
        notStarted: 0
        ready: {target}
        total: {target}
    status: Healthy
  name: gpu-asg
  scaleDown:
    status: NoCandidates
  scaleUp:
    {up}
"""


def status(target: int = 0, most: int = 4, backoff: str = "") -> Evidence:
    """One group as the ConfigMap of newer releases has it."""
    up = f"backoffInfo:\n      errorMessage: {backoff}\n    status: Backoff" if backoff else "status: NoActivity"
    return Evidence({STATUS: Fields({"data": {"status": STATUS_TEXT.format(target=target, most=most, up=up)}})})


MAY_GROW = status()


def said(message: str, *others: Any, evidence: Evidence = MAY_GROW, minutes: float = 2, **changed: Any) -> str:
    pod = a_waiting(**changed)
    reason = "TriggeredScaleUp" if "pod triggered" in message else "NotTriggerScaleUp"
    event = an_event(pod, reason, message, minutes=minutes, source="cluster-autoscaler")
    return told(STAGE, asked(queues_view(pod, event, an_autoscaler(), a_cpu_node(), *others), pod, evidence))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            said(NO_GPU),
            [
                "template-without-device ROOT",
                "`gpu-asg` 0 of at most 4 nodes",
                "lacks the GPU",
                "node-template/resources/nvidia",
            ],
            id="an empty group whose template has no GPU",
        ),
        pytest.param(
            said("pod didn't trigger scale-up (it wouldn't fit if a new node is added): 2 Insufficient amd.com/gpu"),
            ["template-without-device ROOT", "`amd.com/gpu`", "resources/amd.com/gpu"],
            id="the older wording, another vendor",
        ),
        pytest.param(
            said(NO_GPU, evidence=Evidence(texts={LOG: "node group gpu-b min=0 max=2 target=0\n"})),
            ["`gpu-b` 0 of at most 2 nodes"],
            id="sizes from its log",
        ),
        pytest.param(
            said(NO_GPU, evidence=Evidence()),
            ["template-without-device ROOT", "an empty group", "sizes of the node groups"],
            id="sizes that are not known are said to be unknown",
        ),
        pytest.param(
            said("pod didn't trigger scale-up: 1 max node group size reached", evidence=status(4, 4)),
            ["cluster-autoscaler.full ROOT", "`gpu-asg` (4 of at most 4 nodes) is at the largest size"],
            id="the largest size",
        ),
        pytest.param(
            said(
                "pod didn't trigger scale-up: 1 in backoff after failed scale-up",
                evidence=status(backoff="out of stock"),
            ),
            ["cluster-autoscaler.backoff ROOT", "“out of stock”", "it tries again"],
            id="left alone after a failure",
        ),
        pytest.param(
            said("max total nodes in cluster reached"),
            ["cluster-autoscaler.cluster-limit ROOT"],
            id="the cluster's limit",
        ),
        pytest.param(
            said('pod didn\'t trigger scale-up: 2 exceeded quota: "gpus", resources: nvidia.com/gpu'),
            ["cluster-autoscaler.cluster-limit ROOT", "gpus"],
            id="the autoscaler's own quota",
        ),
        pytest.param(
            said(
                "pod didn't trigger scale-up: 1 node(s) didn't match Pod's node affinity/selector",
                spec=PodSpec(node_selector={"pool": "h200"}),
            ),
            ["template-without-label ROOT", "`pool=h200`", "node-template/label/pool"],
            id="a label that new nodes would not have",
        ),
        pytest.param(
            said("pod didn't trigger scale-up: 2 node(s) had untolerated taint {nvidia.com/gpu: true}"),
            ["no-group-helps ROOT", "taint `nvidia.com/gpu`", "does not tolerate"],
            id="a taint of new nodes",
        ),
        pytest.param(
            said(NO_GPU, a_node("gpu-9")),
            ["no-group-helps ROOT", "too little `nvidia.com/gpu`"],
            id="a template that was taken from a real node is not doubted",
        ),
        pytest.param(
            said("pod triggered scale-up: [{gpu-asg 0->1 (max: 4)}]"),
            ["cluster-autoscaler.growing ROOT", "from 0 to 1 (at most 4)", "is Ready"],
            id="a node is coming",
        ),
        pytest.param(
            said(
                "pod triggered scale-up: [{gpu-asg 0->1 (max: 4)}]",
                minutes=55,
                evidence=status(1, backoff="no capacity"),
            ),
            ["cluster-autoscaler.never-came ROOT", "55 min ago", "“no capacity”"],
            id="a node that never came",
        ),
    ],
)
def test_what_it_said(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


def test_size_is_never_called_the_limit_where_the_group_may_grow() -> None:
    assert "cluster-autoscaler.full" not in said(NO_GPU)


def silent(pod: Pod, autoscaler: Pod | None = None) -> list[tuple[str, Level]]:
    view = queues_view(pod, a_cpu_node(), *([autoscaler] if autoscaler else []))
    return [(one.id, one.level) for one in found(STAGE, asked(view, pod))]


def test_no_word_of_it() -> None:
    down = an_autoscaler(phase="Pending")
    assert silent(a_waiting(), down) == [("cluster-autoscaler.down", Level.ROOT)]
    assert silent(a_waiting(priority=-20), an_autoscaler()) == [("cluster-autoscaler.expendable", Level.ROOT)]
    assert silent(a_waiting(nominated="gpu-1"), an_autoscaler()) == [("cluster-autoscaler.nominated", Level.NOTE)]
    assert silent(a_waiting(), an_autoscaler()) == []
    assert silent(a_waiting(), None) == []


def test_status_and_log_are_looked_up_only_where_it_said_something() -> None:
    pod = a_waiting()
    event: Event = an_event(pod, "NotTriggerScaleUp", NO_GPU, source="cluster-autoscaler")
    assert STAGE.wants(asked(queues_view(pod, an_autoscaler(), event), pod)).refs == (STATUS, LOG)
    assert not STAGE.wants(asked(queues_view(pod, an_autoscaler()), pod))


def test_a_gated_pod_is_not_the_autoscalers() -> None:
    assert not said(NO_GPU, gated=True)


def test_resources_are_named_as_asked() -> None:
    assert GPU in said(NO_GPU)


NEAR_MISSES = "2 Insufficient nvidia.com/gpu, 1 in backoff after failed scale-up"


def test_a_group_that_the_cloud_gives_nothing_for_is_not_one_without_a_template() -> None:
    text = said(f"pod didn't trigger scale-up: {NEAR_MISSES}", evidence=status(backoff="out of stock"))
    assert "template-without-device" not in text
    assert "leaves `gpu-asg` alone" in text
    unknown = said(f"pod didn't trigger scale-up: {NEAR_MISSES}", evidence=Evidence())
    assert "template-without-device" not in unknown


def test_labels_of_other_groups_are_not_told_where_the_suitable_one_is_full() -> None:
    message = "3 node(s) didn't match Pod's node affinity/selector, 1 max node group size reached"
    text = said(f"pod didn't trigger scale-up: {message}", evidence=status(4, 4))
    assert "cluster-autoscaler.full ROOT" in text
    assert "the other groups do not suit the pod" in text
    assert "template-without-label" not in text
