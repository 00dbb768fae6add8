"""What the planner chooses on which cluster, and each reason for which something does not go."""

from typing import Any

import pytest

from bot.deploying.candidate import Room
from bot.deploying.said import refusal
from bot.deploying.trying import name_of
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
        [gpu_node("g1")],
        "glm",
        {"image": "mirror:5000/lmsysorg/sglang:v0.5.23"},
        ("fp8", 8, 1, 262_144, "sglang:v0.5.23"),
        id="the engine whose image was asked for",
    ),
    pytest.param(
        [gpu_node("g1", "H100", gpus=1), gpu_node("g2", "H100", gpus=8)],
        "air",
        {},
        ("fp8", 4, 1, 131_072, ":v0.33.0"),
        id="nodes of several sizes: no more GPUs than it needs",
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
    pytest.param([gpu_node("g1", "L40S")], "glm", {}, "sparse attention (DSA)", "10.3", id="no kernel on L40S"),
    pytest.param(
        [gpu_node("g1", "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition")],
        "glm",
        {},
        "Blackwell of the data centre alone",
        "10.3",
        id="no kernel on RTX PRO 6000, although it is a Blackwell",
    ),
    pytest.param([gpu_node("g1")], "glm", {"variant": "nvfp4"}, "NVFP4 weights", "10.0", id="NVFP4 needs Blackwell"),
    pytest.param(
        [gpu_node("g1", "H100")], "glm", {}, "its weights take 94.5 GiB", "", id="weights larger than the GPUs"
    ),
    pytest.param(
        [gpu_node("g1")],
        "glm-4.6",
        {"image": "lmsysorg/sglang:v0.5.23"},
        "knows no way to serve it with sglang",
        "engine=vllm",
        id="the image of an engine that the catalogue does not know for it",
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
        [gpu_node(name, "H100", labels={"feature.node.kubernetes.io/rdma.capable": "true"}) for name in ("g1", "g2")],
        "glm",
        {},
        "but its nodes offer no RDMA resource",
        "Offer RDMA",
        id="two nodes with RDMA that pods cannot ask for",
    ),
    pytest.param(
        [gpu_node("g1", "NVIDIA-X900")],
        "flash",
        {},
        "tell its memory",
        "GPU feature discovery",
        id="GPUs of which nothing is known",
    ),
    pytest.param(
        [gpu_node("g1", labels={"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "mps"})],
        "flash",
        {},
        "hold others' memory too",
        "use another pool",
        id="GPUs that are shared by MPS",
    ),
    pytest.param(
        [gpu_node("g1")], "flash", {"pool": "nothing"}, "no node pool with GPUs is called", "", id="a pool that is none"
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


# What is there, what is asked for → what is said beside the plan.
SAID = [
    pytest.param([gpu_node("g1", driver="")], "glm", {}, "no node of it tells its driver", id="no driver is known"),
    pytest.param(
        [gpu_node("g1"), gpu_node("g2", driver="")], "glm", {}, "the driver of g2 is not known", id="one driver is not"
    ),
    pytest.param(
        [gpu_node("g1", driver="570.172.08")], "flash", {}, "taken is the build cu129", id="why it is another build"
    ),
    pytest.param(
        [gpu_node("g1")], "glm", {"image": "mirror.local/engines/vllm:glm"}, "which CUDA", id="an image of one's own"
    ),
    pytest.param([gpu_node("g1", "L40S", gpus=4)], "flash", {}, "joined by PCIe alone", id="no NVLink"),
    pytest.param(
        [
            gpu_node(
                "g1",
                "NVIDIA-X900",
                labels={
                    "nvidia.com/gpu.memory": "143771",
                    "nvidia.com/gpu.compute.major": "9",
                    "nvidia.com/gpu.compute.minor": "0",
                },
            )
        ],
        "glm",
        {},
        "joined by NVLink is not known",
        id="a product that only its labels tell of",
    ),
    pytest.param([gpu_node("g1")], "flash", {}, "worked out and not measured", id="nobody has measured it"),
    pytest.param([gpu_node("g1", "A100")], "air", {"variant": "fp8"}, "no FP8 of its own", id="FP8 weights on Ampere"),
    pytest.param(
        [gpu_node("g1", "H100", **RDMA), gpu_node("g2", "H100", **RDMA), LWS],
        "glm",
        {},
        "guessing ahead does not go with stages",
        id="no guessing over several nodes",
    ),
]


@pytest.mark.parametrize(("objects", "model", "options", "wanted"), SAID)
def test_what_is_said_of_it(objects: list[Object], model: str, options: dict[str, str], wanted: str) -> None:
    best = chosen(a_cluster(*objects), model, **options).best
    assert best is not None
    assert any(wanted in one for one in best.draft.warnings), best.draft.warnings


def an_autoscaler() -> Object:
    pod = holder("cluster-autoscaler-5d", "c1", 0, namespace="kube-system")
    pod["metadata"]["labels"] = {"app": "cluster-autoscaler"}
    return pod


def a_quota(gpus: int) -> Object:
    hard = {"requests.nvidia.com/gpu": str(gpus)}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "llm", "uid": "gpus"},
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": {"requests.nvidia.com/gpu": "0"}},
    }


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
    pytest.param(
        [gpu_node("g1"), holder("a", "g1", 8), an_autoscaler()],
        Room.AUTOSCALER,
        "would wait",
        id="all are taken, and an autoscaler may add some",
    ),
    pytest.param([gpu_node("g1"), a_quota(4)], Room.REFUSED, "quota", id="more than the namespace may have"),
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


def test_room_is_found_on_the_pool_that_would_be_preferred_last() -> None:
    full = ("L40S", "A100", "H100", "H200")
    nodes = [one for name in full for one in (gpu_node(name.lower(), name), holder(f"on-{name}", name.lower(), 8))]
    choice = chosen(a_cluster(*nodes, gpu_node("b1", "B200")), "flash")
    assert choice.best is not None
    assert (choice.best.draft.pool.product, choice.best.room) == ("B200", Room.NOW)
    assert choice.best.why == "what would be preferred has no room now"
    assert choice.spare, "the others are told as not tried"


def a_node_with(driver: str, name: str) -> Object:
    return gpu_node(name, driver=driver, labels={"nvidia.com/cuda.driver-version.major": driver.partition(".")[0]})


def test_nodes_whose_driver_is_too_old_are_left_out_where_a_label_can_do_it() -> None:
    view = a_cluster(a_node_with("470.82.01", "g1"), a_node_with("580.95.05", "g2"))
    best = chosen(view, "glm", replicas="2").best
    assert best is not None
    assert (best.draft.pool.nodes, best.starts) == (("g2",), 1)
    assert any("driver 470 and older are left out" in one for one in best.draft.warnings)
    affinity = best.rendering.workload["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    wanted = {"key": "nvidia.com/cuda.driver-version.major", "operator": "Gt", "values": ["470"]}
    assert wanted in term["matchExpressions"]


def test_without_such_a_label_the_node_with_the_old_driver_is_named() -> None:
    choice = chosen(a_cluster(gpu_node("g1", driver="470.82.01"), gpu_node("g2")), "glm")
    assert choice.best is None
    assert any("the oldest there is 470.82.01 (g1)" in one.reason for one in choice.rejected)


def test_every_way_is_chosen_tried_spare_or_rejected() -> None:
    """Each variant on each pool is told of exactly once."""
    view = a_cluster(gpu_node("g1"), gpu_node("b1", "B200", gpus=4), gpu_node("a1", "A100"), gpu_node("l1", "L40S"))
    choice = chosen(view, "glm")
    told = [f"{one.draft.variant.id} on {one.draft.pool.title}" for one in choice.candidates]
    told += [f"{one.variant.id} on {one.pool.title}" for one in choice.spare]
    told += [one.what.removeprefix("GLM-5.2 ").partition(" (")[0] for one in choice.rejected]
    pools = ("A100-SXM4-80GB", "B200", "H200", "L40S")
    assert sorted(told) == sorted(f"{variant} on {pool}" for variant in ("fp8", "nvfp4", "bf16") for pool in pools)


def test_only_gpus_that_were_asked_for_are_told_of() -> None:
    view = a_cluster(gpu_node("g1", "H100"), gpu_node("m1", "NVIDIA-A30-MIG-1g.6gb"), gpu_node("a1", "A100"))
    told = chosen(view, "glm", gpu="h100").rejected
    assert {one.what.partition(" (")[0] for one in told} == {
        f"GLM-5.2 {variant} on H100-80GB-HBM3" for variant in ("fp8", "nvfp4", "bf16")
    }


def test_what_nothing_but_other_gpus_would_help_comes_last() -> None:
    reasons = [one.reason for one in chosen(a_cluster(gpu_node("a1", "A100"), gpu_node("g1", "H100")), "glm").rejected]
    assert "its weights take" in reasons[0]
    assert "sparse attention" in reasons[-1]


def test_a_length_that_fits_is_offered_beside_more_nodes() -> None:
    choice = chosen(a_cluster(gpu_node("g1"), gpu_node("g2")), "glm", context="1m", variant="fp8")
    (one,) = choice.rejected
    assert one.remedy.startswith("Type context=262144, or offer RDMA")


def test_what_is_typed_for_gpus_is_quoted() -> None:
    (one,) = chosen(a_cluster(), "glm", pool="x\n<!channel> " + "y" * 500).rejected
    assert "\n" not in one.reason
    assert "<!channel>" not in one.reason
    assert len(one.reason) < 200


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
    for nodes, surge in ((["g1", "g2"], 0), (["g1", "g2", "g3"], 1)):
        best = chosen(a_cluster(*(gpu_node(name) for name in nodes)), "glm", replicas="2").best
        assert best is not None
        assert best.rendering.workload["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == surge


def served_already(node: str, product: str = "H200") -> list[Object]:
    """What the planner chose for a cluster of that node alone, with its pod there."""
    first = chosen(a_cluster(gpu_node(node, product)), "glm").best
    assert first is not None
    old = {**first.rendering.workload, "status": {"replicas": 1}}
    old["metadata"] = {**old["metadata"], "uid": "u1"}
    pod = holder("glm-5-2-1-a", node, first.draft.tensor_parallel, namespace="llm")
    pod["metadata"]["labels"] = old["metadata"]["labels"]
    return [old, pod]


# What it is to become, what else is there → when, and on what.
AGAIN = [
    pytest.param({"image": "vllm/vllm-openai:v0.34.0"}, [], Room.NOW, "H200", id="a newer engine"),
    pytest.param({"replicas": "2"}, [], Room.WAITS, "H200", id="one more, and no GPUs for it"),
    pytest.param({"replicas": "2"}, [gpu_node("g2")], Room.NOW, "H200", id="one more, where there is a node for it"),
    pytest.param(
        {"gpu": "B200"},
        [gpu_node("b1", "B200"), holder("other", "b1", 8)],
        Room.WAITS,
        "B200",
        id="on other GPUs, where its old ones are of no use",
    ),
    pytest.param({"gpu": "B200"}, [gpu_node("b1", "B200")], Room.NOW, "B200", id="on other GPUs that are free"),
]


@pytest.mark.parametrize(("options", "more", "room", "product"), AGAIN)
def test_a_deployment_of_ours_gives_its_gpus_to_its_next_version(
    options: dict[str, str], more: list[Object], room: Room, product: str
) -> None:
    again = chosen(a_cluster(gpu_node("g1"), *served_already("g1"), *more), "glm", **options).best
    assert again is not None
    assert (again.room, again.draft.pool.product) == (room, product)
    assert again.replaces is not None


@pytest.mark.parametrize("product", ["H200", "B200"])
def test_it_stays_on_its_gpus_although_others_are_free(product: str) -> None:
    other = "B200" if product == "H200" else "H200"
    view = a_cluster(gpu_node("g1", product), *served_already("g1", product), gpu_node("g2", other))
    again = chosen(view, "glm").best
    assert again is not None
    assert (again.room, again.draft.pool.product) == (Room.NOW, product)


def test_its_name_is_a_dns_label() -> None:
    best = chosen(a_cluster(gpu_node("g1")), "glm").best
    assert best is not None
    assert name_of(best.ground.wish) == "glm-5-2"


def test_what_is_alike_is_told_together() -> None:
    told = refusal(chosen(a_cluster(gpu_node("a1", "A100"), gpu_node("l1", "L40S")), "glm"))
    assert "GLM-5.2 fp8 on A100-SXM4-80GB (compute capability 8.0) and 3 others: sparse attention" in told
    assert "and 1 more reason." in told


def test_the_first_line_says_what_helps_most() -> None:
    told = refusal(chosen(a_cluster(gpu_node("a1", "A100"), gpu_node("g1")), "glm", context="1m", variant="fp8"))
    assert told.startswith("nothing here can serve it: GLM-5.2 fp8 on H200: its cache would hold 519,744 tokens")
    assert "Type context=262144." in told
