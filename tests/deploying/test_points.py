"""Every question of the preflight: yes, no with what helps, and could not tell."""

from typing import Any

import pytest

from bot.deploying.points.collect import check, points
from tests.deploying.building import Object, a_cluster, chosen, claim, gpu_node, namespace
from tests.deploying.test_planner import LWS, RDMA
from tests.scaling.building import view_of

G1 = gpu_node("g1")
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "gpus", "namespace": "llm", "uid": "q"},
    "spec": {"hard": {"requests.nvidia.com/gpu": "4"}},
    "status": {"hard": {"requests.nvidia.com/gpu": "4"}, "used": {"requests.nvidia.com/gpu": "0"}},
}
QUEUE = {
    "apiVersion": "kueue.x-k8s.io/v1beta1",
    "kind": "LocalQueue",
    "metadata": {"name": "models", "namespace": "llm", "uid": "lq"},
    "spec": {"clusterQueue": "all"},
}
SERVING = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "serving", "uid": "pc"},
    "value": 1000,
}


def a_service(name: str, **labels: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "llm", "uid": name, "labels": labels},
        "spec": {"selector": {"app": name}},
    }


def a_running_pod(image: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "other", "namespace": "x", "uid": "other"},
        "spec": {"nodeName": "g1", "containers": [{"name": "main", "image": image}]},
        "status": {"phase": "Running"},
    }


NOBODY: dict[str, str] = {}
# point, what is there besides, what is asked for → the answer, a part of what it says, a part of what helps.
TOLD = [
    pytest.param("namespace", [], NOBODY, True, "is there", "", id="the namespace is there"),
    pytest.param(
        "namespace", [], {"namespace": "lllm"}, False, "there is no namespace", "namespace=llm", id="it is not"
    ),
    pytest.param("name", [], NOBODY, True, "is free", "", id="the name is free"),
    pytest.param("name", [a_service("flash")], {"name": "flash"}, False, "is not gpubot's", "name=flash-2", id="taken"),
    pytest.param(
        "name",
        [a_service("flash", **{"app.kubernetes.io/managed-by": "gpubot"})],
        {"name": "flash"},
        True,
        "gpubot's own",
        "",
        id="a name that is ours",
    ),
    pytest.param("weights", [], NOBODY, True, "a new volume of 67 GiB", "", id="a new volume for one replica"),
    pytest.param(
        "weights", [], {"replicas": "2"}, None, "ReadWriteMany volume", "storage=shared", id="one for several"
    ),
    pytest.param("weights", [], {"storage": "fast"}, False, "no storage class `fast`", "storage=shared", id="no class"),
    pytest.param("weights", [], {"source": "pvc:w"}, False, "there is no claim `w`", "source=hf", id="no such claim"),
    pytest.param(
        "weights", [claim()], {"source": "pvc:weights/f"}, None, "lie at `/models/f`", "describe pvc", id="a claim"
    ),
    pytest.param(
        "weights",
        [claim(size="10Gi")],
        {"source": "pvc:weights"},
        False,
        "has 10 GiB, the weights take 58",
        "67Gi",
        id="small",
    ),
    pytest.param(
        "weights",
        [claim(modes=["ReadWriteOnce"])],
        {"source": "pvc:weights", "replicas": "2"},
        False,
        "one node at a time",
        "ReadWriteMany",
        id="a claim for one node and two replicas",
    ),
    pytest.param("source", [], NOBODY, None, "reach Hugging Face", "source=pvc:", id="the hub cannot be asked"),
    pytest.param("source", [], {"source": "modelscope"}, None, "reach ModelScope", "", id="nor the other one"),
    pytest.param("image", [], NOBODY, None, "can pull", "image=MIRROR", id="an image that nobody runs"),
    pytest.param("image", [a_running_pod("vllm/vllm-openai:v0.33.0")], NOBODY, True, "run `vllm", "", id="that runs"),
    pytest.param(
        "image", [a_running_pod("vllm/vllm-openai:v0.30.0")], NOBODY, True, "another version", "", id="another version"
    ),
    pytest.param("quota", [], NOBODY, True, "no quota", "", id="no quota"),
    pytest.param(
        "quota", [QUOTA], {"tp": "5"}, False, "only 0 of 1 replicas would be made", "", id="a quota that refuses"
    ),
    pytest.param("queue", [QUEUE], NOBODY, None, "no queue was named", "queue=models", id="a queue that nobody named"),
    pytest.param("queue", [QUEUE], {"queue": "models"}, True, "is there", "", id="a queue that is there"),
    pytest.param("queue", [QUEUE], {"queue": "other"}, False, "has no queue", "queue=models", id="a queue that is not"),
    pytest.param("priority", [SERVING], {"priority": "serving"}, True, "is there", "", id="a priority class"),
    pytest.param(
        "priority", [SERVING], {"priority": "servin"}, False, "no priority class", "priority=serving", id="none"
    ),
    pytest.param("pod-security", [], NOBODY, True, "takes its pods", "", id="no level is enforced"),
    pytest.param("host", [], NOBODY, True, "host memory", "", id="enough host memory"),
    pytest.param("disk", [], NOBODY, True, "room for the image", "", id="enough disk"),
    pytest.param("driver", [], NOBODY, True, "driver 580.95.05 runs CUDA 13.0", "", id="a driver that runs it"),
    pytest.param("room", [], NOBODY, True, "would get a node now", "", id="there is room"),
    pytest.param("licence", [], NOBODY, True, "under MIT", "", id="the licence is told"),
]


def told(point: str, view: Any, model: str = "flash", **options: str) -> Any:
    best = chosen(view, model, **options).best
    assert best is not None
    return next((one.told for one in check(best, view) if one.id == point), None)


@pytest.mark.parametrize(("point", "objects", "options", "ok", "says", "fix"), TOLD)
def test_a_point(
    point: str, objects: list[Object], options: dict[str, str], ok: bool | None, says: str, fix: str
) -> None:
    found = told(point, a_cluster(G1, *objects), **options)
    assert found.ok is ok, found
    assert says in found.says
    assert fix in found.fix


@pytest.mark.parametrize(
    ("level", "model", "objects", "ok"),
    [
        ("restricted", "flash", [G1], False),
        ("baseline", "flash", [G1], True),
        ("baseline", "glm", [gpu_node(name, "H100", **RDMA) for name in ("a", "b")] + [LWS], False),
        ("privileged", "glm", [gpu_node(name, "H100", **RDMA) for name in ("a", "b")] + [LWS], True),
    ],
)
def test_what_the_namespace_enforces(level: str, model: str, objects: list[Object], ok: bool) -> None:
    view = view_of(namespace("llm", **{"pod-security.kubernetes.io/enforce": level}), *objects)
    found = told("pod-security", view, model)
    assert found.ok is ok
    assert ok or "kubectl label ns llm" in found.fix


# What was not read → which points could not be told.
@pytest.mark.parametrize(
    ("kind", "point", "options"),
    [
        ("namespaces", "namespace", {}),
        ("services", "name", {}),
        ("storageclasses", "weights", {}),
        ("persistentvolumeclaims", "weights", {"source": "pvc:w"}),
        ("resourcequotas", "quota", {}),
    ],
)
def test_what_was_not_read_is_neither_yes_nor_no(kind: str, point: str, options: dict[str, str]) -> None:
    objects = [] if kind == "namespaces" else [namespace()]
    view = view_of(G1, *objects, unread=(kind,))
    if kind == "storageclasses":
        view.storageclasses.clear()
    assert told(point, view, **options).ok is None


def test_what_nodes_do_not_tell_is_not_told() -> None:
    node = gpu_node("g1")
    del node["metadata"]["labels"]["nvidia.com/cuda.driver-version.full"]
    del node["status"]["allocatable"]["ephemeral-storage"]
    view = a_cluster(node)
    assert told("driver", view).ok is None
    assert told("disk", view).ok is None


@pytest.mark.parametrize(
    ("node", "point", "says"),
    [
        (gpu_node("g1", memory="32Gi"), "host", "the largest node of H200 offers 32"),
        (gpu_node("g1", allocatable={"cpu": "2"}), "host", "asks for 4 CPUs, and the largest node offers 2"),
        (gpu_node("g1", allocatable={"ephemeral-storage": "10Gi"}), "disk", "the most is 11 GB"),
    ],
)
def test_a_machine_that_is_too_small(node: Object, point: str, says: str) -> None:
    found = told(point, a_cluster(node))
    assert found.ok is False
    assert says in found.says


def test_several_nodes_need_the_controller_that_makes_groups() -> None:
    nodes = [gpu_node(name, "H100", **RDMA) for name in ("a", "b")]
    assert told("several-nodes", a_cluster(*nodes, LWS), "glm").ok is True
    assert told("several-nodes", a_cluster(*nodes, unread=("leaderworkersets",)), "glm").ok is None
    assert told("several-nodes", a_cluster(G1), "flash") is None


def test_every_point_has_a_page_an_order_and_a_name_of_its_own() -> None:
    assert len(points()) >= 15
    assert all(one.page.strip() for one in points())
    assert len({one.id for one in points()}) == len({one.order for one in points()}) == len(points())
    named = {one.values[0] for one in TOLD} | {"several-nodes"}
    assert named == {one.id for one in points()}, "each has its tests here"
