"""Karpenter: labels that it cannot know, nodes without their GPU, limits, and clouds that have none to give."""

from typing import Any

import pytest

from bot.domain.pod_spec import PodSpec
from bot.domain.thing import Thing
from bot.why.finding import Level
from bot.why.stages.karpenter import STAGE
from tests.factories import a_cpu_node, a_node
from tests.why.builders_queues import GPU, a_thing, a_waiting, ago, an_event, asked, found, queues_view, told

PRODUCT = PodSpec(node_selector={"nvidia.com/gpu.product": "NVIDIA-A10G"})
NO_LABEL = 'incompatible requirements, label "nvidia.com/gpu.product" does not have known values'


def a_pool(name: str = "gpu", group: str = "karpenter.k8s.aws", used: str = "0", **template: Any) -> Thing:
    spec = {"nodeClassRef": {"group": group}, "requirements": template.pop("requirements", [])}
    limits, status = {GPU: "16"}, {"resources": {GPU: used}}
    return a_thing(
        "NodePool", name, "", spec={"limits": limits, "template": {"spec": spec, "metadata": template}}, status=status
    )


def a_claim(*conditions: tuple[str, str, str], resource: str = GPU, age: float = 180, node: str = "gpu-x1") -> Thing:
    told_ = [{"type": kind, "status": status, "message": message} for kind, status, message in conditions]
    status = {"nodeName": node, "conditions": told_}
    spec = {"resources": {"requests": {resource: "1", "cpu": "1"}}}
    return a_thing("NodeClaim", "gpu-x1", "", spec=spec, status=status, created=ago(minutes=age))


JOINED = (
    ("Launched", "True", ""),
    ("Registered", "True", ""),
    ("Initialized", "Unknown", "requested but not registered"),
)


def said(why: str, *others: Any, reason: str = "FailedScheduling", **changed: Any) -> str:
    pod = a_waiting(**changed)
    message = why if reason == "Nominated" else f"Failed to schedule pod, {why}"
    event = an_event(pod, reason, message, source="karpenter")
    return told(STAGE, asked(queues_view(pod, event, a_cpu_node(), *others), pod))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            said(NO_LABEL, a_pool(), spec=PRODUCT),
            [
                "karpenter.unknown-label ROOT",
                "never make a node",
                "`nvidia.com/gpu.product=NVIDIA-A10G`",
                "karpenter.k8s.aws/instance-gpu-name",
                '"labels":{"nvidia.com/gpu.product":"NVIDIA-A10G"}',
            ],
            id="a label that appears on running nodes only",
        ),
        pytest.param(
            said(NO_LABEL, a_pool(group="karpenter.azure.com"), spec=PRODUCT),
            ["karpenter.azure.com/sku-gpu-name"],
            id="another cloud knows it by another name",
        ),
        pytest.param(
            said('label "zone" does not have known values (typo of "topology.kubernetes.io/zone"?)', a_pool()),
            ["`topology.kubernetes.io/zone` may be meant"],
            id="a label that was typed wrongly",
        ),
        pytest.param(
            said('all available instance types exceed limits for nodepool: "gpu"', a_pool(used="16")),
            ["karpenter.limit ROOT", "NodePool `gpu` is at its limit", "16 of 16 GPUs in use"],
            id="a pool at its limit",
        ),
        pytest.param(
            said("did not tolerate taint (taint=nvidia.com/gpu=true:NoSchedule) (NodePool=gpu)", a_pool()),
            ["karpenter.taint ROOT", "`nvidia.com/gpu=true:NoSchedule`", "NodePool `gpu`"],
            id="a taint of the pool",
        ),
        pytest.param(
            said(
                "incompatible requirements, key kubernetes.io/arch, a In [x] not in a In [y] (NodePool=gpu)", a_pool()
            ),
            ["karpenter.requirement ROOT", "`kubernetes.io/arch`"],
            id="another value than the pool allows",
        ),
        pytest.param(
            said("no instance type has enough resources, requirements=x (NodePool=gpu)", a_pool()),
            ["karpenter.no-machine-type ROOT"],
            id="no machine is large enough",
        ),
        pytest.param(
            said("pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter"),
            ["karpenter.device-claims ROOT"],
            id="device claims",
        ),
        pytest.param(said("words to come"), ["karpenter.refused ROOT", "words to come"], id="unknown words"),
        pytest.param(
            said(
                "Pod should schedule on: nodeclaim/gpu-x1, node/gpu-x1",
                a_claim(*JOINED),
                a_cpu_node("gpu-x1", created=ago(hours=3)),
                reason="Nominated",
            ),
            [
                "karpenter.node-without-device ROOT",
                "Node `gpu-x1`",
                "does not offer `nvidia.com/gpu`",
                "delete nodeclaim gpu-x1",
            ],
            id="a node that joined without its GPU",
        ),
        pytest.param(
            said(
                "Pod should schedule on: nodeclaim/gpu-x1",
                a_claim(("Launched", "False", "InsufficientCapacityError: no machines in zone"), node=""),
                reason="Nominated",
            ),
            ["karpenter.no-capacity ROOT", "no such machine to give"],
            id="a cloud without machines",
        ),
        pytest.param(
            said(
                "Pod should schedule on: nodeclaim/gpu-x1",
                a_claim(("Launched", "False", "not authorized to use the image"), node=""),
                reason="Nominated",
            ),
            ["karpenter.launch-failed ROOT", "not authorized"],
            id="a cloud that refuses is told apart from one without machines",
        ),
        pytest.param(
            said(
                "Pod should schedule on: nodeclaim/gpu-x1",
                a_claim(("Launched", "True", ""), ("Registered", "Unknown", ""), node="", age=40),
                reason="Nominated",
            ),
            ["karpenter.never-joined ROOT", "40 min"],
            id="a machine that never joined",
        ),
        pytest.param(
            said(
                "Pod should schedule on: nodeclaim/gpu-x1, node/gpu-x1",
                a_claim(
                    ("Launched", "True", ""), ("Registered", "True", ""), ("Initialized", "False", "taint x exists")
                ),
                a_node("gpu-x1"),
                reason="Nominated",
            ),
            ["karpenter.not-initialized ROOT", "“taint x exists”", "not counted on after 3 h"],
            id="a startup taint that nobody takes away",
        ),
        pytest.param(
            said("Pod should schedule on: nodeclaim/other", a_pool(), reason="Nominated"),
            ["karpenter.nominated ROOT", "NodeClaim `other`", "has registered its devices"],
            id="a node is meant for it",
        ),
    ],
)
def test_what_it_said(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


def test_a_young_node_may_still_register_its_gpu() -> None:
    young = a_cpu_node("gpu-x1", created=ago(minutes=4))
    text = said("Pod should schedule on: nodeclaim/gpu-x1", a_claim(*JOINED, age=6), young, reason="Nominated")
    assert "karpenter.joining ROOT" in text
    assert "delete nodeclaim" not in text


def test_a_node_that_offers_what_was_promised_is_well() -> None:
    text = said("Pod should schedule on: nodeclaim/gpu-x1", a_claim(*JOINED), a_node("gpu-x1"), reason="Nominated")
    assert "node-without-device" not in text


def test_a_node_claim_can_be_asked_about() -> None:
    claim = a_claim(*JOINED, resource="amd.com/gpu")
    (only,) = found(STAGE, asked(queues_view(claim, a_cpu_node("gpu-x1", created=ago(hours=3))), claim))
    assert (only.id, only.level) == ("karpenter.node-without-device", Level.CAUSE)
    assert only.sentence.startswith("node `gpu-x1`")
    assert "amd.com/gpu" in only.sentence


def without_event(pod: Any, *others: Any) -> list[str]:
    return [one.id for one in found(STAGE, asked(queues_view(pod, *others), pod))]


def test_without_an_event_only_what_must_be_so_is_said() -> None:
    pod = a_waiting(spec=PRODUCT)
    assert without_event(pod, a_pool()) == ["karpenter.unknown-label"]
    assert without_event(pod) == []
    assert without_event(pod, a_pool(labels={"nvidia.com/gpu.product": "NVIDIA-A10G"})) == []
    assert without_event(pod, a_pool(requirements=[{"key": "nvidia.com/gpu.product"}])) == []
    there = a_node(more_labels={"nvidia.com/gpu.product": "NVIDIA-A10G"})
    assert without_event(pod, a_pool(), there) == []
    known = a_waiting(spec=PodSpec(node_selector={"karpenter.sh/capacity-type": "spot"}))
    assert without_event(known, a_pool()) == []


def test_an_event_about_a_claim_that_is_gone_tells_of_missing_machines() -> None:
    claim = a_claim()
    gone = an_event(claim, "InsufficientCapacityError", "all zones are out of p5.48xlarge", minutes=9)
    text = said("no instance type has enough resources (NodePool=gpu)", a_pool(), gone)
    assert "karpenter.no-capacity ROOT" in text
    assert "9 min ago" in text


@pytest.mark.parametrize("shape", [7, "x", ["x"], {"resources": 3, "conditions": "x", "template": [1]}, None])
def test_any_shape_is_survived(shape: object) -> None:
    claim = a_thing("NodeClaim", "gpu-x1", "", spec=shape, status=shape)
    pool = a_thing("NodePool", "gpu", "", spec=shape, status=shape)
    assert isinstance(said(NO_LABEL, claim, pool, spec=PRODUCT), str)


def test_a_pod_that_runs_is_left_alone() -> None:
    assert not said(NO_LABEL, a_pool(), node="gpu-1", phase="Running")


def a_pool_off(name: str = "gpu", kind: str = "NodeClassReady") -> Thing:
    told_ = [
        {"type": "Ready", "status": "False", "reason": "NodeClassReady"},
        {"type": kind, "status": "False", "message": "SubnetsReady=False", "lastTransitionTime": ago(hours=3)},
    ]
    class_ = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu-class"}
    spec = {"template": {"spec": {"nodeClassRef": class_}}}
    return a_thing("NodePool", name, "", spec=spec, status={"conditions": told_})


def of_pools(*pools: Thing, **changed: Any) -> str:
    pod = a_waiting(**changed)
    return told(STAGE, asked(queues_view(pod, *pools), pod))


def test_a_pool_that_is_not_ready_is_told_although_no_event_says_so() -> None:
    text = of_pools(a_pool_off())
    assert "karpenter.pool-not-ready ROOT" in text
    assert "because its EC2NodeClass `gpu-class` is not (SubnetsReady=False)" in text
    assert "kubectl describe ec2nodeclass.karpenter.k8s.aws gpu-class" in text
    assert "for 3 h" in text
    assert "because its own settings are not valid" in of_pools(a_pool_off(kind="ValidationSucceeded"))


def test_one_of_several_pools_that_is_not_ready_is_beside_the_point() -> None:
    assert "karpenter.pool-not-ready ALSO" in of_pools(a_pool_off(), a_pool("other"))
    assert not of_pools(a_pool())


def test_pools_are_not_told_about_while_a_node_is_coming() -> None:
    assert "pool-not-ready" not in said("Pod should schedule on: nodeclaim/x", a_pool_off(), reason="Nominated")


STARTUP = 'StartupTaintsExist StartupTaint "agent.example.io/not-ready=true:NoExecute" still exists'


def test_a_startup_taint_is_for_its_owner_to_take_away_and_not_for_pods_to_tolerate() -> None:
    claim = a_claim(("Launched", "True", ""), ("Registered", "True", ""), ("Initialized", "Unknown", STARTUP))
    pod = a_waiting()
    (only,) = found(STAGE, asked(queues_view(pod, claim, a_node("gpu-x1")), pod))
    assert (only.id, only.level, only.sole) == ("karpenter.not-initialized", Level.ROOT, True)
    assert "its startup taint `agent.example.io/not-ready=true:NoExecute` is still there" in only.sentence
    assert "spec.nodeName=gpu-x1" in only.remedies[0].command


def test_a_misspelt_label_is_to_be_corrected_and_not_put_into_the_pool() -> None:
    typo = 'incompatible requirements, label "topology.kubernetes.io/zne" does not have known values (typo of "topology.kubernetes.io/zone"?)'
    text = said(typo, a_pool(), spec=PodSpec(node_selector={"topology.kubernetes.io/zne": "a"}))
    assert "Write `topology.kubernetes.io/zone=a` in place of `topology.kubernetes.io/zne`" in text
    assert "patch nodepool" not in text


def test_a_machine_that_never_joined_is_named() -> None:
    claim = a_thing(
        "NodeClaim",
        "gpu-x1",
        "",
        status={
            "providerID": "aws:///a/i-0abc",
            "conditions": [{"type": "Launched", "status": "True"}, {"type": "Registered", "status": "Unknown"}],
        },
        created=ago(minutes=25),
    )
    text = told(STAGE, asked(queues_view(claim), claim))
    assert "never joined the cluster" in text
    assert "console log of the machine aws:///a/i-0abc" in text
