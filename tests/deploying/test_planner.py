"""What the planner chooses on which cluster, and each reason for which something does not go."""

from typing import Any

import pytest

from bot.deploying.candidate import Room
from bot.deploying.planner import name_of
from bot.scaling.verdict import verdict
from tests.deploying.building import Object, a_cluster, chosen, gpu_node, holder

RDMA = {"allocatable": {"rdma/hca_shared_devices_a": "63"}}
LWS = {
    "apiVersion": "leaderworkerset.x-k8s.io/v1",
    "kind": "LeaderWorkerSet",
    "metadata": {"name": "other", "namespace": "llm", "uid": "lws"},
    "spec": {"replicas": 0, "leaderWorkerTemplate": {"size": 2, "workerTemplate": {"spec": {"containers": []}}}},
}

# What is there, what is asked for → how it is served: variant, GPUs, nodes, about how much context, image's ending.
SERVED = [
    pytest.param(
        [gpu_node("g1")], "glm", {}, ("fp8", 8, 1, 262_144, ":v0.33.0"), id="GLM-5.2 takes all of a node of H200 in FP8"
    ),
    pytest.param(
        [gpu_node("g1")], "glm", {"context": "128k"}, ("fp8", 8, 1, 131_072, ":v0.33.0"), id="the length asked for"
    ),
    pytest.param(
        [gpu_node("g1", "B200")], "glm", {}, ("fp8", 8, 1, 524_288, ":v0.33.0"), id="on B200 there is room for more"
    ),
    pytest.param(
        [gpu_node("g1", "B200", gpus=4)], "glm", {}, ("nvfp4", 4, 1, 524_288, ":v0.33.0"), id="four B200: NVFP4"
    ),
    pytest.param(
        [gpu_node("g1", "H20")], "glm", {}, ("fp8", 8, 1, 131_072, ":v0.33.0"), id="H20-3e keeps its cache in BF16"
    ),
    pytest.param([gpu_node("g1")], "flash", {}, ("bf16", 1, 1, 202_752, ":v0.33.0"), id="Flash fits one card"),
    pytest.param([gpu_node("g1", "L40S", gpus=4)], "flash", {}, ("bf16", 4, 1, 202_752, ":v0.33.0"), id="or four L40S"),
    pytest.param([gpu_node("g1")], "glm-4.7", {}, ("fp8", 4, 1, 202_752, ":v0.33.0"), id="4.7 takes half a node"),
    pytest.param(
        [gpu_node("g1", driver="570.172.08")],
        "flash",
        {},
        ("bf16", 1, 1, 202_752, "-cu129"),
        id="on an older driver the build with an older CUDA",
    ),
    pytest.param(
        [gpu_node("g1", "H100", **RDMA), gpu_node("g2", "H100", **RDMA), LWS],
        "glm",
        {},
        ("fp8", 16, 2, 262_144, ":v0.33.0"),
        id="two nodes of H100 that are joined by RDMA",
    ),
    pytest.param(
        [gpu_node("g1", "A100"), gpu_node("g2")], "glm", {}, ("fp8", 8, 1, 262_144, ":v0.33.0"), id="only where it runs"
    ),
    pytest.param(
        [gpu_node("g1", "L40S"), gpu_node("g2")],
        "flash",
        {},
        ("bf16", 1, 1, 202_752, ":v0.33.0"),
        id="fewer GPUs first",
    ),
    pytest.param(
        [gpu_node("g1", "L40S", gpus=4), gpu_node("g2")],
        "flash",
        {"gpu": "l40s"},
        ("bf16", 4, 1, 202_752, ":v0.33.0"),
        id="the GPUs that were asked for",
    ),
]


@pytest.mark.parametrize(("objects", "model", "options", "wanted"), SERVED)
def test_how_it_is_served(objects: list[Object], model: str, options: dict[str, str], wanted: tuple[Any, ...]) -> None:
    best = chosen(a_cluster(*objects), model, **options).best
    assert best is not None
    draft = best.draft
    variant, gpus, nodes, context, ending = wanted
    assert (draft.variant.id, draft.gpus, draft.nodes_per_replica, draft.context_tokens) == (
        variant,
        gpus,
        nodes,
        context,
    )
    assert draft.image.endswith(ending)
    assert best.room is Room.NOW
    assert draft.sizing.kv_tokens >= draft.context_tokens


# What is there, what is asked for → why nothing goes, and what would make it go.
REFUSED = [
    pytest.param([gpu_node("g1", "A100")], "glm", {}, "sparse attention (DSA)", "9.0, 10.0", id="no kernel on A100"),
    pytest.param([gpu_node("g1", "L40S")], "glm", {}, "compute capability 8.9", "10.3", id="no kernel on L40S"),
    pytest.param(
        [gpu_node("g1", "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition")],
        "glm",
        {},
        "compute capability 12.0",
        "",
        id="no kernel on RTX PRO 6000, although it is a Blackwell",
    ),
    pytest.param([gpu_node("g1")], "glm", {"variant": "nvfp4"}, "NVFP4 weights", "10.0", id="NVFP4 needs Blackwell"),
    pytest.param(
        [gpu_node("g1", "H100")], "glm", {}, "its weights take 94.5 GiB", "", id="weights larger than the GPUs"
    ),
    pytest.param([gpu_node("g1", gpus=4)], "glm", {}, "its weights take 189.0 GiB", "", id="too few GPUs in a node"),
    pytest.param(
        [gpu_node("g1")],
        "glm",
        {"context": "1m"},
        "tokens with 8 GPUs, fewer than 1,048,576",
        "context=",
        id="too long",
    ),
    pytest.param(
        [gpu_node("g1")],
        "glm",
        {"context": "128k", "concurrency": "32"},
        "fewer than 32 × 131,072",
        "context=",
        id="too many of that length at once",
    ),
    pytest.param(
        [gpu_node("g1", "H100"), gpu_node("g2", "H100")],
        "glm",
        {},
        "over 2 nodes it would fit, but no node tells of RDMA",
        "Offer RDMA",
        id="two nodes and nobody says that they are joined",
    ),
    pytest.param(
        [gpu_node(name, "H100", labels={"feature.node.kubernetes.io/rdma.capable": "false"}) for name in ("g1", "g2")],
        "glm",
        {},
        "but its nodes have no RDMA",
        "Offer RDMA",
        id="two nodes without RDMA",
    ),
    pytest.param(
        [gpu_node("g1", "H100", **RDMA)],
        "glm",
        {},
        "over 2 nodes it would fit, and there are 1",
        "",
        id="one node only",
    ),
    pytest.param(
        [gpu_node("g1", "NVIDIA-H200-MIG-1g.18gb")], "flash", {}, "MIG slices", "Switch its MIG", id="slices of a GPU"
    ),
    pytest.param(
        [gpu_node("g1", "NVIDIA-H200-SHARED")], "flash", {}, "shared by time", "use another pool", id="shared GPUs"
    ),
    pytest.param(
        [gpu_node("g1", allocatable={"nvidia.com/mig-1g.18gb": "7"})],
        "flash",
        {},
        "also offers parts of its GPUs",
        "",
        id="whole GPUs and slices on one node",
    ),
    pytest.param(
        [gpu_node("g1", driver="470.82.01")], "flash", {}, "needs driver 525", "Upgrade", id="a driver for no image"
    ),
    pytest.param(
        [gpu_node("g1", driver="570.172.08")],
        "flash",
        {"image": "vllm/vllm-openai:v0.33.0"},
        "needs driver 580",
        "Upgrade",
        id="an image that was asked for, on a driver that is too old for it",
    ),
    pytest.param(
        [gpu_node("g1")],
        "glm",
        {"image": "vllm/vllm-openai:v0.22.0"},
        "vllm 0.22.0 cannot serve GLM-5.2: 0.23.0 is the first",
        "v0.33.0",
        id="an engine that does not know the model",
    ),
    pytest.param([gpu_node("g1")], "glm", {"tp": "16"}, "a node of it has 8 GPUs", "tp=8", id="more ranks than GPUs"),
    pytest.param(
        [gpu_node("g1", "A100")], "air", {"variant": "fp8", "tp": "4"}, "in tiles of 64", "tp=2", id="a cut that fails"
    ),
    pytest.param([], "flash", {}, "no GPU of this cluster", "/gpu status", id="no GPUs at all"),
    pytest.param(
        [gpu_node("g1")], "flash", {"gpu": "B300"}, "no usable GPUs are called", "", id="GPUs that are not there"
    ),
    pytest.param(
        [gpu_node("g1", gpus=0, allocatable={"nvidia.com/gpu": "0"})], "flash", {}, "", "", id="a node that offers none"
    ),
]


@pytest.mark.parametrize(("objects", "model", "options", "reason", "remedy"), REFUSED)
def test_why_nothing_goes(objects: list[Object], model: str, options: dict[str, str], reason: str, remedy: str) -> None:
    choice = chosen(a_cluster(*objects), model, **options)
    assert choice.best is None
    assert any(reason in one.reason for one in choice.rejected), [one.reason for one in choice.rejected]
    assert any(remedy in one.remedy for one in choice.rejected if reason in one.reason)


# What is there besides → whether it starts, and why not.
ROOM = [
    pytest.param([gpu_node("g1")], Room.NOW, "would get a node now (g1)", id="an empty node"),
    pytest.param(
        [gpu_node("g1"), gpu_node("g2"), holder("a", "g1", 4), holder("b", "g2", 4)],
        Room.WAITS,
        "no node has 8 free: 8 are free, at most 4 together",
        id="eight are free, on two nodes",
    ),
    pytest.param(
        [gpu_node("g1"), holder("a", "g1", 8, priority=-10)],
        Room.AFTER_ENDING,
        "by ending 1 pod of lower priority",
        id="somebody of lower priority has them",
    ),
    pytest.param(
        [gpu_node("g1", taints=[{"key": "dedicated", "value": "train", "effect": "NoSchedule"}])],
        Room.WAITS,
        "dedicated=train",
        id="the node is kept for others",
    ),
    pytest.param(
        [gpu_node("g1", taints=[{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}])],
        Room.NOW,
        "g1",
        id="the taint that only keeps pods without GPUs away",
    ),
    pytest.param([gpu_node("g1", memory="128Gi")], Room.WAITS, "memory", id="too little host memory"),
]


@pytest.mark.parametrize(("objects", "room", "says"), ROOM)
def test_when_it_starts(objects: list[Object], room: Room, says: str) -> None:
    best = chosen(a_cluster(*objects), "glm").best
    assert best is not None
    assert best.room is room
    assert says in verdict(best.preview)


def test_two_replicas_land_on_two_nodes_and_a_third_waits() -> None:
    view = a_cluster(gpu_node("g1"), gpu_node("g2"))
    two, three = (chosen(view, "glm", replicas=number).best for number in ("2", "3"))
    assert two is not None
    assert three is not None
    assert (two.room, two.starts) == (Room.NOW, 2)
    assert (three.room, three.starts) == (Room.WAITS, 2)


def test_what_has_room_comes_before_what_would_be_preferred() -> None:
    view = a_cluster(gpu_node("g1"), holder("a", "g1", 8), gpu_node("g2", "B200"))
    best = chosen(view, "glm").best
    assert best is not None
    assert (best.draft.pool.product, best.room) == ("B200", Room.NOW)


def test_another_model_is_offered_where_it_would_start_and_never_taken() -> None:
    view = a_cluster(gpu_node("g1"), holder("a", "g1", 4))
    choice = chosen(view, "glm")
    assert choice.best is not None
    assert choice.best.draft.model.id == "glm-5.2"
    assert choice.best.room is Room.WAITS
    assert [one.draft.model.id for one in choice.fallbacks] == ["glm-4.7"]


def test_a_cluster_that_was_not_read_is_said() -> None:
    choice = chosen(a_cluster(gpu_node("g1"), unread=("pods",)), "flash")
    assert any("pods could not be read" in one for one in choice.unknown)


def test_spare_gpus_decide_how_it_is_updated() -> None:
    for nodes, kind in ((["g1"], "Recreate"), (["g1", "g2"], "RollingUpdate")):
        best = chosen(a_cluster(*(gpu_node(name) for name in nodes)), "glm").best
        assert best is not None
        assert best.rendering.workload["spec"]["strategy"]["type"] == kind


def test_a_deployment_of_ours_gives_its_gpus_to_its_next_version() -> None:
    view = a_cluster(gpu_node("g1"))
    first = chosen(view, "glm").best
    assert first is not None
    old = {**first.rendering.workload, "status": {"replicas": 1}}
    old["metadata"] = {**old["metadata"], "uid": "u1"}
    held = holder("glm-5-2-1-a", "g1", 8, namespace="llm")
    again = chosen(a_cluster(gpu_node("g1"), old, held), "glm", image="vllm/vllm-openai:v0.34.0").best
    assert again is not None
    assert again.room is Room.NOW
    assert again.replaces is not None


def test_its_name_is_a_dns_label() -> None:
    best = chosen(a_cluster(gpu_node("g1")), "glm").best
    assert best is not None
    assert name_of(best.ground.wish) == "glm-5-2"
