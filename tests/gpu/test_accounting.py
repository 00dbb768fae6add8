"""Every GPU of a node stands in exactly one column."""

from typing import Any

import pytest

from bot.domain.node import Condition
from bot.gpu.kind import Form
from bot.gpu.node import inspect
from bot.gpu.row import Row, State
from tests.factories import POLICY, a_claim, a_cpu_node, a_node, a_pod, a_slice, a_taint, a_view

COLUMNS = (
    "total",
    "used",
    "preemptible",
    "burn_in",
    "free",
    "reserved",
    "cordoned",
    "not_ready",
    "stranded",
    "lost",
    "over",
)


def balanced(row: Row) -> bool:
    parts = row.used + row.preemptible + row.burn_in + row.free + row.reserved + row.cordoned + row.not_ready
    return row.total == parts + row.stranded + row.lost - row.over


def counted(*records: Any) -> dict[str, int]:
    """The columns of the first node's only row that are not zero."""
    view = a_view(*records)
    found = inspect(view, view.nodes[records[0].name], POLICY)
    assert found is not None
    (row,) = found.rows
    assert balanced(row)
    return {name: value for name in COLUMNS if (value := getattr(row, name))}


CASES = [
    pytest.param([a_node()], {"total": 8, "free": 8}, id="an empty node is free"),
    pytest.param([a_node(), a_pod(gpus=3)], {"total": 8, "used": 3, "free": 5}, id="a running pod holds what it requests"),
    pytest.param([a_node(), a_pod(gpus=8)], {"total": 8, "used": 8}, id="a full node has nothing free"),
    pytest.param([a_node(), a_pod(phase="Succeeded")], {"total": 8, "free": 8}, id="a finished pod holds nothing"),
    pytest.param([a_node(), a_pod(phase="Failed")], {"total": 8, "free": 8}, id="a failed pod holds nothing"),
    pytest.param([a_node(), a_pod(deleted="2026-11-30T11:00:00Z")], {"total": 8, "used": 1, "free": 7}, id="a terminating pod still holds"),
    pytest.param([a_node(), a_pod(phase="Pending")], {"total": 8, "used": 1, "free": 7}, id="a bound pod holds before it runs"),
    pytest.param([a_node(), a_pod(node="")], {"total": 8, "free": 8}, id="a pod without a node holds nothing"),
    pytest.param([a_node(), a_pod(node="gpu-2")], {"total": 8, "free": 8}, id="a pod elsewhere holds nothing here"),
    pytest.param([a_node(), a_pod(gpus=0)], {"total": 8, "free": 8}, id="a pod without GPUs holds none"),
    pytest.param([a_node(), a_pod(priority=-5)], {"total": 8, "preemptible": 1, "free": 7}, id="negative priority is preemptible"),
    pytest.param([a_node(), a_pod(priority_class="scavenger")], {"total": 8, "preemptible": 1, "free": 7}, id="preemptible by class"),
    pytest.param([a_node(), a_pod(labels={"preemptible": "true"})], {"total": 8, "preemptible": 1, "free": 7}, id="preemptible by label"),
    pytest.param([a_node(), a_pod(labels={"preemptible": "false"})], {"total": 8, "used": 1, "free": 7}, id="a label of another value says nothing"),
    pytest.param([a_node(), a_pod(labels={"burn-in": "true"}, priority=-5)], {"total": 8, "burn_in": 1, "free": 7}, id="burn-in before preemptible"),
    pytest.param([a_node(unschedulable=True), a_pod(gpus=3)], {"total": 8, "used": 3, "cordoned": 5}, id="what is left on a cordoned node is not free"),
    pytest.param([a_node(conditions=(Condition("Ready", "False"),))], {"total": 8, "not_ready": 8}, id="a node that is not ready"),
    pytest.param([a_node(conditions=(Condition("Ready", "Unknown"),))], {"total": 8, "not_ready": 8}, id="a node nobody hears of"),
    pytest.param([a_node(conditions=())], {"total": 8, "not_ready": 8}, id="a node that never reported"),
    pytest.param([a_node(conditions=(Condition("Ready", "Unknown"),), unschedulable=True)], {"total": 8, "not_ready": 8}, id="not ready before cordoned"),
    pytest.param([a_node(taints=(a_taint("dedicated=train:NoSchedule"),))], {"total": 8, "reserved": 8}, id="a taint of another key reserves"),
    pytest.param([a_node(taints=(a_taint("dedicated=train:NoExecute"),))], {"total": 8, "reserved": 8}, id="NoExecute reserves too"),
    pytest.param([a_node(taints=(a_taint("dedicated=train:PreferNoSchedule"),))], {"total": 8, "free": 8}, id="PreferNoSchedule keeps nobody away"),
    pytest.param([a_node(taints=(a_taint("nvidia.com/gpu=present:NoSchedule"),))], {"total": 8, "free": 8}, id="the usual GPU taint reserves nothing"),
    pytest.param([a_node(taints=(a_taint("node.kubernetes.io/disk-pressure:NoSchedule"),))], {"total": 8, "not_ready": 8}, id="a pressure taint is no reservation"),
    pytest.param([a_node(healthy=7)], {"total": 8, "free": 7, "lost": 1}, id="capacity above allocatable is lost"),
    pytest.param([a_node(healthy=0)], {"total": 8, "lost": 8}, id="a stopped plugin loses all"),
    pytest.param([a_node(gpus=7, more_labels={"nvidia.com/gpu.count": "8"})], {"total": 8, "free": 7, "lost": 1}, id="fewer than the label says is lost"),
    pytest.param([a_node(gpus=8, more_labels={"nvidia.com/gpu.count": "4"})], {"total": 8, "free": 8}, id="a label that says less takes nothing away"),
    pytest.param([a_node(gpus=8, more_labels={"nvidia.com/gpu.count": "many"})], {"total": 8, "free": 8}, id="a label that is no number says nothing"),
    pytest.param([a_node(healthy=7), a_pod(gpus=8)], {"total": 8, "used": 8, "lost": 1, "over": 1}, id="a pod that holds a lost GPU counts once"),
    pytest.param([a_node(allocatable={"nvidia.com/gpu": 8, "pods": 1}), a_pod(gpus=2)], {"total": 8, "used": 2, "stranded": 6}, id="no pod slot left"),
    pytest.param([a_node(allocatable={"nvidia.com/gpu": 8, "pods": 2}), a_pod(gpus=2)], {"total": 8, "used": 2, "free": 6}, id="one pod slot left"),
]  # fmt: skip


@pytest.mark.parametrize(("records", "expected"), CASES)
def test_columns(records: list[Any], expected: dict[str, int]) -> None:
    assert counted(*records) == expected


def look(*records: Any) -> Any:
    view = a_view(*records)
    return inspect(view, view.nodes[records[0].name], POLICY)


def test_a_node_without_gpus_is_none_of_our_business() -> None:
    assert look(a_cpu_node()) is None


@pytest.mark.parametrize(
    ("node", "silent"),
    [
        pytest.param(
            a_cpu_node(labels={"nvidia.com/gpu.present": "true"}), True, id="the operator saw a card, no plugin did"
        ),
        pytest.param(
            a_cpu_node(labels={"feature.node.kubernetes.io/pci-10de.present": "true"}), True, id="a card on the bus"
        ),
        pytest.param(a_node(gpus=0, more_labels={"nvidia.com/gpu.count": "8"}), True, id="registered once, now 0 of 0"),
        pytest.param(a_node(), False, id="an ordinary node"),
        pytest.param(a_node(healthy=0), False, id="registered, but nothing healthy"),
        pytest.param(
            a_cpu_node(labels={"nvidia.com/gpu.present": "true", "nvidia.com/gpu.workload.config": "vm-passthrough"}),
            False,
            id="cards that go to virtual machines",
        ),
        pytest.param(a_node(product=""), False, id="a node that nobody labelled still offers"),
    ],
)
def test_a_label_without_a_resource(node: Any, silent: bool) -> None:
    assert look(node).silent is silent


def test_a_false_label_is_no_gpu() -> None:
    assert look(a_cpu_node(labels={"nvidia.com/gpu.present": "false"})) is None


MIG = {"nvidia.com/mig-1g.10gb": 7, "nvidia.com/mig-3g.40gb": 2, "nvidia.com/gpu": 6, "pods": 110}


def test_mig_mixed_has_a_row_for_each_profile_and_one_for_whole_cards() -> None:
    node = a_node(product="NVIDIA-H100", capacity=MIG, allocatable=MIG, more_labels={"nvidia.com/gpu.count": "8"})
    pod = a_pod(requests={"nvidia.com/mig-1g.10gb": 2})
    rows = {row.kind.title: row for row in look(node, pod).rows}
    assert set(rows) == {"H100", "H100 MIG 1g.10gb", "H100 MIG 3g.40gb"}
    assert (rows["H100 MIG 1g.10gb"].used, rows["H100 MIG 1g.10gb"].free) == (2, 5)
    assert rows["H100"].lost == 0, "the label counts cards that are cut, so fewer whole ones are no loss"


def test_mig_single_is_told_by_the_product() -> None:
    (row,) = look(a_node(gpus=7, product="NVIDIA-A100-SXM4-40GB-MIG-1g.5gb")).rows
    assert row.kind.title == "A100-SXM4-40GB MIG 1g.5gb"
    assert row.kind.unit == "slice"


def test_an_invalid_mig_layout_is_noted() -> None:
    node = a_node(gpus=0, product="NVIDIA-A100-MIG-INVALID")
    assert "its MIG layout is invalid, so it offers nothing" in look(node).notes


@pytest.mark.parametrize(
    ("labels", "resource", "title"),
    [
        ({"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "time-slicing"}, "nvidia.com/gpu", "T4 shared (time-slicing x4)"),
        ({"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "mps"}, "nvidia.com/gpu", "T4 shared (MPS x4)"),
        ({"nvidia.com/gpu.sharing-strategy": "mps"}, "nvidia.com/gpu.shared", "T4 shared (MPS)"),
        ({"nvidia.com/gpu.replicas": "1", "nvidia.com/gpu.sharing-strategy": "none"}, "nvidia.com/gpu", "T4"),
        ({"cloud.google.com/gke-gpu-sharing-strategy": "time-sharing", "cloud.google.com/gke-max-shared-clients-per-gpu": "8"}, "nvidia.com/gpu", "T4 shared (time-slicing x8)"),
    ],
)  # fmt: skip
def test_shares_are_marked_and_never_lost(labels: dict[str, str], resource: str, title: str) -> None:
    room = {resource: 16, "pods": 110}
    node = a_node(
        product="Tesla-T4", capacity=room, allocatable=room, more_labels=labels | {"nvidia.com/gpu.count": "16"}
    )
    (row,) = look(node).rows
    assert row.kind.title == title
    assert row.lost == 0


def test_dra_devices_come_from_slices_and_claims() -> None:
    node = a_cpu_node("dra-1")
    found = look(
        node, a_slice("dra-1", devices=4), a_claim("c", ("dra-1", "gpu-0"), pod="glm-0"), a_pod(gpus=0, node="dra-1")
    )
    (row,) = found.rows
    assert (row.kind.form, row.total, row.used, row.free) == (Form.DEVICE, 4, 1, 3)
    assert [(holding.owner, holding.amount) for holding in found.holdings] == [("glm-0", 1)]


def test_dra_counts_only_the_newest_generation_of_a_pool() -> None:
    old = a_slice("dra-1", devices=8, generation=1)
    new = a_slice("dra-1", devices=2, generation=2)
    view = a_view(a_cpu_node("dra-1"))
    view.put("resourceslices", "old", old)
    view.put("resourceslices", "new", new)
    found = inspect(view, view.nodes["dra-1"], POLICY)
    assert found is not None
    assert found.rows[0].total == 2


def test_dra_pool_with_missing_slices_is_not_counted_but_noted() -> None:
    found = look(a_cpu_node("dra-1"), a_slice("dra-1", slices=2))
    assert found.rows == ()
    assert "incomplete" in found.notes[0]


def test_plugin_and_dra_on_one_node_are_noted_as_counted_twice() -> None:
    found = look(a_node("dra-1"), a_slice("dra-1"))
    assert any("counted twice" in note for note in found.notes)


@pytest.mark.parametrize(
    ("changed", "state", "why"),
    [
        ({"unschedulable": True, "more_labels": {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}}, State.CORDONED, "by the driver upgrade (drain-required)"),
        ({"unschedulable": True, "more_labels": {"nvidia.com/gpu-driver-upgrade-state": "upgrade-failed"}}, State.CORDONED, "by a driver upgrade that failed"),
        ({"unschedulable": True, "more_labels": {"nvidia.com/gpu-driver-upgrade-state": "upgrade-done"}}, State.CORDONED, ""),
        ({"unschedulable": True, "more_labels": {"k8saas.nvidia.com/cordon-by": "fault-quarantine"}}, State.CORDONED, "by fault-quarantine"),
        ({"unschedulable": True, "taints": (a_taint("karpenter.sh/disrupted:NoSchedule"),)}, State.CORDONED, "Karpenter is replacing the node"),
        ({"unschedulable": True, "cordoned_by": "kubectl-cordon"}, State.CORDONED, "by a person with kubectl"),
        ({"unschedulable": True, "cordoned_by": "node-doctor"}, State.CORDONED, "by node-doctor"),
        ({"taints": (a_taint("dedicated=train:NoSchedule"),)}, State.RESERVED, "dedicated=train:NoSchedule"),
        ({"conditions": (Condition("Ready", "Unknown", "NodeStatusUnknown"),)}, State.NOT_READY, "NodeStatusUnknown"),
    ],
)  # fmt: skip
def test_why_a_node_takes_no_pods(changed: dict[str, Any], state: State, why: str) -> None:
    found = look(a_node(**changed))
    assert (found.state, found.why) == (state, why)


@pytest.mark.parametrize(
    ("condition", "noted"),
    [
        (Condition("XidCriticalError", "True", "XID", "79"), True),
        (Condition("XidCriticalError", "False"), False),
        (Condition("AcceleratedHardwareReady", "False", "NvidiaXID79Error"), True),
        (Condition("AcceleratedHardwareReady", "True"), False),
        (Condition("DiskPressure", "False"), False),
    ],
)
def test_conditions_that_speak_of_gpu_faults(condition: Condition, noted: bool) -> None:
    notes = look(a_node(conditions=(Condition("Ready", "True"), condition))).notes
    assert any(condition.type in note for note in notes) is noted
