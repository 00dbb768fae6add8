"""GPUs that are missing beside their twins, and GPUs that are offered twice."""

import pytest

from bot.gpu.stack import chain
from bot.gpu.stack.fault import Fault
from tests.factories import a_claim, a_node, a_pod, a_slice
from tests.why.builders_stack import a_claim_of, a_stack_view, sight_of, told

TYPE = "node.kubernetes.io/instance-type"


def bare(name: str, gpus: int, kind: str = "gpu.8x") -> object:
    return a_node(name, gpus=gpus, product="", labels={TYPE: kind} if kind else {})


def found(*records: object, name: str = "gpu-1") -> list[Fault]:
    return chain.faults(sight_of(a_stack_view(*records), name))


def test_fewer_than_its_twins() -> None:
    node = a_node("gpu-1", gpus=7, product="", labels={TYPE: "gpu.8x"})
    faults = found(node, bare("gpu-2", 8), bare("gpu-3", 8), told(node, "Rebooted", "has been rebooted", minutes=95))
    assert [one.id for one in faults] == ["missing"]
    assert "gpu-1 offers 7 of 8 nvidia.com/gpu: 1 did not come up" in faults[0].sentence
    assert "other nodes of type `gpu.8x` have 8, the device plugin registered 7" in faults[0].evidence
    assert "the node was rebooted 1 h 35 min ago" in faults[0].evidence


def test_fewer_than_its_claim_was_made_for() -> None:
    fault = found(bare("gpu-1", 3, ""), a_claim_of("gpu-1", 4))[0]
    assert "NodeClaim `claim-gpu-1` tells of 4" in fault.evidence[0]


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((bare("gpu-1", 7), bare("gpu-2", 7), bare("gpu-3", 8)), id="most have as many"),
        pytest.param((bare("gpu-1", 1, "k3s"), bare("gpu-2", 4, "k3s")), id="a type that all machines have"),
        pytest.param(
            (
                a_node("gpu-1", gpus=2, labels={TYPE: "x", "nvidia.com/gpu.replicas": "2"}, product=""),
                bare("gpu-2", 8, "x"),
            ),
            id="shares are not counted as cards",
        ),
    ],
)
def test_nothing_is_missing(records: tuple[object, ...]) -> None:
    assert found(*records) == []


def test_plugin_and_dra_driver_offer_the_same_gpus() -> None:
    claim = a_claim("c", ("gpu-1", "gpu-0"), pod="new-0")
    new = a_pod("new-0", gpus=0, claims=("c",))
    faults = found(a_node(gpus=8), a_slice("gpu-1", 8), claim, new, a_pod("old-0", gpus=4))
    assert [one.id for one in faults] == ["doubled"]
    assert "8 `nvidia.com/gpu` by the device plugin and 8 devices by the DRA driver" in faults[0].sentence
    assert faults[0].evidence == ("4 held by requests: llm/old-0", "1 held by claims: llm/new-0")


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((a_node(gpus=8),), id="only the plugin"),
        pytest.param((a_node(gpus=0, product=""), a_slice("gpu-1", 8)), id="only the DRA driver"),
    ],
)
def test_offered_once(records: tuple[object, ...]) -> None:
    assert found(*records) == []
