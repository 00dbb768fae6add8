"""How many GPUs a node should have, and who says so."""

from typing import Any

import pytest

from bot.domain.node import Node
from bot.gpu.stack.expected import expected, fleet, resource_of, twins
from tests.factories import a_cpu_node, a_node, a_taint
from tests.why.builders_stack import GPU, a_claim_of, a_silent_node, a_stack_view

TYPE = "node.kubernetes.io/instance-type"


@pytest.mark.parametrize(
    ("node", "source", "count"),
    [
        pytest.param(
            a_silent_node(labels={"nvidia.com/gpu.count": "8"}), "nvidia.com/gpu.count=8", 8, id="its own label"
        ),
        pytest.param(
            a_silent_node(labels={"karpenter.k8s.aws/instance-gpu-count": "4"}),
            "instance-gpu-count=4",
            4,
            id="Karpenter's label",
        ),
        pytest.param(
            a_silent_node(labels={"cloud.google.com/gke-accelerator": "nvidia-l4"}),
            "gke-accelerator",
            None,
            id="an accelerator",
        ),
        pytest.param(a_silent_node(labels={TYPE: "gpu.8x"}), "other nodes of type `gpu.8x`", 8, id="its twins"),
        pytest.param(a_silent_node(taints=(a_taint(f"{GPU}=x:NoSchedule"),)), "taint", None, id="its taint"),
        pytest.param(a_silent_node("claimed"), "NodeClaim", 2, id="what it was made for"),
        pytest.param(
            a_silent_node(labels={"gpu.intel.com/device-id.0380-56c0.present": "true"}),
            "gpu.intel.com",
            None,
            id="Intel",
        ),
        pytest.param(a_silent_node(labels={"amd.com/gpu.device-id": "74a1"}), "amd.com/gpu.device-id", None, id="AMD"),
        pytest.param(a_silent_node(labels={TYPE: "g5.12xlarge"}), "machine type `g5.12xlarge`", None, id="EC2's type"),
        pytest.param(a_silent_node(labels={TYPE: "Standard_NC24ads_A100_v4"}), "machine type", None, id="Azure's type"),
    ],
)
def test_who_says_so(node: Node, source: str, count: int | None) -> None:
    twins = [a_node(f"twin-{number}", more_labels={TYPE: "gpu.8x"}) for number in range(3)]
    view = a_stack_view(node, *twins, a_claim_of("claimed", 2))
    found = expected(fleet(view), node)
    assert found is not None
    assert source in found.source
    assert found.count == count


@pytest.mark.parametrize(
    "node",
    [
        pytest.param(a_cpu_node(), id="a CPU node"),
        pytest.param(a_silent_node(labels={"nvidia.com/gpu.count": "0"}), id="a label that says none"),
        pytest.param(a_silent_node(labels={"nvidia.com/gpu.present": "false"}), id="a label that says no"),
        pytest.param(a_silent_node(labels={TYPE: "cpu.16x"}), id="twins without GPUs"),
        pytest.param(a_silent_node(labels={TYPE: "k3s"}), id="a type that every machine of the cluster has"),
        pytest.param(a_silent_node(labels={TYPE: "m6i.2xlarge"}), id="a type without GPUs"),
        pytest.param(a_silent_node(labels={"feature.node.kubernetes.io/pci-0300_8086.present": "true"}), id="on-board"),
        pytest.param(
            a_silent_node(labels={"nvidia.com/gpu.count": "8", "nvidia.com/gpu.workload.config": "vm-vgpu"}),
            id="for machines",
        ),
    ],
)
def test_nobody_says_so(node: Node) -> None:
    others = a_cpu_node("twin", labels={TYPE: "cpu.16x"}), a_node("box", more_labels={TYPE: "k3s"})
    view = a_stack_view(node, *others)
    assert expected(fleet(view), node) is None


def test_a_nodes_claim_is_found_by_its_node() -> None:
    claims = fleet(a_stack_view(a_silent_node("a"), a_claim_of("a", 2))).claims
    assert claims == {"a": ("claim-a", 2)}


@pytest.mark.parametrize(
    ("changed", "resource"),
    [
        pytest.param({}, GPU, id="nothing tells"),
        pytest.param({"labels": {"amd.com/gpu.product-name": "MI300"}}, "amd.com/gpu", id="AMD's label"),
        pytest.param({"labels": {TYPE: "g4ad.xlarge"}}, "amd.com/gpu", id="AMD's machines of EC2"),
        pytest.param({"labels": {"habana.ai/device": "gaudi2"}}, "habana.ai/gaudi", id="Gaudi's label"),
        pytest.param(
            {"labels": {"nvidia.com/gpu.present": "true", "feature.node.kubernetes.io/amd-gpu": "false"}},
            GPU,
            id="a label that says no",
        ),
        pytest.param({"capacity": {"gpu.intel.com/i915": 2}}, "gpu.intel.com/i915", id="what it offers"),
    ],
)
def test_under_which_name(changed: dict[str, Any], resource: str) -> None:
    assert resource_of(a_silent_node(**changed)) == resource


def test_of_two_numbers_that_are_as_usual_the_larger_counts() -> None:
    whole, short = (a_node(name, gpus=gpus, product="", labels={TYPE: "x"}) for name, gpus in (("a", 8), ("b", 7)))
    told = twins(fleet(a_stack_view(whole, short)), short)
    assert told is not None
    assert (told.count, told.source) == (8, "other nodes of type `x`")
