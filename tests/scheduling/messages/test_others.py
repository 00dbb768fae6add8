"""Words of other schedulers and of autoscalers are not taken for kube-scheduler's."""

import pytest

from bot.scheduling.messages import KUBE_SCHEDULER, Stage, parse

SPEAKERS = [
    pytest.param("0/3 nodes are available: 3 Insufficient cpu.", KUBE_SCHEDULER, id="available"),
    pytest.param("0/3 nodes are unavailable: 3 Insufficient nvidia.com/gpu.", "Volcano", id="unavailable"),
    pytest.param("0/3 nodes are unavailable: 3 node(s) resource fit failed.", "Volcano", id="Volcano's node words"),
    pytest.param(
        "2/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 2 Unschedulable",
        "Volcano",
        id="a gang",
    ),
    pytest.param("all nodes are unavailable: 3 node(s) pod number exceeded.", "Volcano", id="all nodes"),
    pytest.param(
        "Pod ml/job-1 can possibly be assigned to gpu-a, once minAvailable is satisfied", "Volcano", id="collateral"
    ),
    pytest.param("queue resource quota insufficient: insufficient nvidia.com/gpu", "Volcano", id="Volcano's queue"),
    pytest.param("job-1 is queued and waiting for allocation", "YuniKorn", id="YuniKorn's queue"),
    pytest.param(
        "Task ml/job-1 is skipped from scheduling because the queue quota has been exceed", "YuniKorn", id="its quota"
    ),
    pytest.param("Application a-1 placeholder timeout exceeded, not creating placeholders", "YuniKorn", id="its gang"),
    pytest.param(
        "no nodes with enough resources were found: 2 node(s) didn't have enough resources: GPUs. \n1 node(s) didn't "
        "have enough resources: CPU cores.",
        "KAI",
        id="KAI, over several lines",
    ),
    pytest.param(
        "gpu-a: Node didn't have enough resources: GPUs, requested: 1, used: 8, capacity: 8",
        "KAI",
        id="KAI, of one node",
    ),
    pytest.param(
        "Job is not ready for scheduling. Waiting for 4 pods, currently 2 exist, 1 are gated", "KAI", id="KAI's group"
    ),
    pytest.param(
        "pod didn't trigger scale-up: 2 max node group size reached, 1 Insufficient nvidia.com/gpu",
        "Cluster Autoscaler",
        id="no scale-up",
    ),
    pytest.param("pod triggered scale-up: [{gpu-asg 0->1 (max: 4)}]", "Cluster Autoscaler", id="scale-up"),
    pytest.param("Pod should schedule on: nodeclaim/gpu-x1, node/gpu-x1", "Karpenter", id="nominated"),
    pytest.param(
        "Failed to schedule pod, no instance type met the scheduling requirements or had a required offering",
        "Karpenter",
        id="no machine type",
    ),
    pytest.param(
        'Failed to schedule pod, incompatible with nodepool "gpu", daemonset overhead={"cpu":"1","pods":"5"}, did not '
        "tolerate a=b:NoSchedule",
        "Karpenter",
        id="node pool, old form",
    ),
    pytest.param("Failed to schedule pod, it is Tuesday", "Karpenter", id="whatever else Karpenter says"),
    pytest.param(
        "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor default, 1 more "
        "needed",
        "Kueue",
        id="Kueue",
    ),
    pytest.param("Scheduling is blocked due to non-empty scheduling gates", "API server", id="gates"),
    pytest.param("Back-off restarting failed container", None, id="a kubelet is none of them"),
]


@pytest.mark.parametrize(("text", "speaker"), SPEAKERS)
def test_speaker(text: str, speaker: str | None) -> None:
    said = parse(text)
    assert said.speaker == speaker
    assert str(said) == text
    assert (said.unknown == ()) is (speaker is not None)


def test_others_have_no_plugin() -> None:
    (reason,) = parse("pod triggered scale-up: [{a 0->1 (max: 4)}]").body
    assert (reason.stage, reason.plugin, reason.resolvable) == (Stage.OTHER, None, None)


def test_cluster_autoscaler_counts_node_groups() -> None:
    said = parse(
        "pod didn't trigger scale-up (it wouldn't fit if a new node is added): 2 Insufficient nvidia.com/gpu, 1 max "
        'cluster nvidia.com/gpu limit reached, 3 exceeded quota: "q", resources: [gpu, cpu]'
    )
    assert [(reason.count, reason.unit, reason.plugin) for reason in said.body] == [
        (2, "node group", "NodeResourcesFit"),
        (1, "node group", None),
        (3, "node group", None),
    ]
    assert said.unknown == ()
    assert said.total is None
