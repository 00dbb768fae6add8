"""Every question of the preflight: yes, no with what helps, and could not tell."""

from typing import Any

import pytest

from bot.deploying.points.collect import check, points
from bot.deploying.points.looking import wanted
from bot.domain.evidence import NO_EVIDENCE, Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.source import Reading, Source
from bot.domain.view import View
from tests.deploying.building import Object, a_cluster, chosen, claim, gpu_node, namespace
from tests.deploying.point_objects import G1, OURS, a_deployment
from tests.deploying.point_table import TOLD
from tests.deploying.test_planner import LWS, RDMA
from tests.scaling.building import view_of


def seen(view: View, default: str = "shared") -> Evidence:
    """All storage classes in full; that one is the default."""
    key = "storageclass.kubernetes.io/is-default-class"
    return Evidence(
        {
            ObjectRef("StorageClass", "", name): Fields(
                {"metadata": {"annotations": {key: str(name == default).lower()}}}
            )
            for name in view.storageclasses
        }
    )


def told(point: str, view: View, model: str = "flash", evidence: Evidence | None = None, **options: str) -> Any:
    best = chosen(view, model, **options).best
    assert best is not None
    found = check(best, view, seen(view) if evidence is None else evidence)
    return next((one.told for one in found if one.id == point), None)


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
        ("priorityclasses", "priority", {"priority": "serving"}),
        ("localqueues", "queue", {"queue": "models"}),
        ("runtimeclasses", "runtime", {}),
        ("scaledobjects", "controllers", {"autoscale": "waiting"}),
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


def test_a_default_class_is_looked_up_and_not_supposed() -> None:
    view = a_cluster(G1)
    assert wanted(view).refs == (ObjectRef("StorageClass", "", "shared"),)
    assert told("weights", view).ok is True
    none = told("weights", view, evidence=seen(view, default=""))
    assert none.ok is False
    assert "no storage class is the default" in none.says
    assert "storage=shared" in none.fix
    assert told("weights", view, evidence=NO_EVIDENCE).ok is None
    assert told("weights", view, evidence=NO_EVIDENCE, storage="shared").ok is True


def test_a_volume_of_a_class_that_many_nodes_mount_proves_what_the_class_can() -> None:
    bound = claim("other")
    bound["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    assert told("weights", a_cluster(G1, bound), replicas="2").ok is True


def test_an_autoscaler_that_is_not_installed_is_a_no() -> None:
    view = a_cluster(G1)
    view.sources["scaledobjects"] = Source("scaledobjects", Reading.ABSENT)
    found = told("controllers", view, autoscale="waiting")
    assert found.ok is False
    assert "https://keda.sh" in found.fix


def test_nodes_that_are_all_kept_for_others() -> None:
    def with_taint(key: str, effect: str = "NoSchedule") -> Any:
        return told("taints", a_cluster(gpu_node("g1", taints=[{"key": key, "effect": effect}])))

    assert with_taint("team").ok is False
    assert "all 1 node of H200 are kept for others (`team`)" in with_taint("team").says
    assert with_taint("nvidia.com/gpu").ok is True
    assert with_taint("node.kubernetes.io/unreachable", "NoExecute").ok is True, "that comes and goes"


def test_pods_of_several_nodes_need_a_shorter_name() -> None:
    view = a_cluster(*[gpu_node(name, "H100", **RDMA) for name in ("a", "b")], LWS)
    found = told("name", view, "glm", name="a" * 50)
    assert found.ok is False
    assert f"name={'a' * 49}`" in found.fix
    assert told("name", view, "glm", name="a" * 49).ok is True
    other = a_cluster(
        *[gpu_node(name, "H100", **RDMA) for name in ("a", "b")],
        LWS,
        a_deployment("glm", **{**OURS, "gpubot.dev/model": "glm-5.2"}),
    )
    assert "this needs a LeaderWorkerSet" in told("name", other, "glm", name="glm").says


def test_groups_that_nobody_makes_are_a_no() -> None:
    view = a_cluster(*[gpu_node(name, "H100", **RDMA) for name in ("a", "b")], LWS)
    view.sources["leaderworkersets"] = Source("leaderworkersets", Reading.ABSENT)
    found = told("several-nodes", view, "glm")
    assert found.ok is False
    assert "https://lws.sigs.k8s.io" in found.fix


def test_a_hub_that_does_not_have_the_weights_is_a_no() -> None:
    found = told("source", a_cluster(G1), "glm-5.3", source="modelscope")
    assert found.ok is False
    assert "source=hf" in found.fix


def test_a_cluster_without_storage_classes_makes_no_volumes() -> None:
    found = told("weights", view_of(namespace(), G1))
    assert found.ok is False
    assert "source=pvc:CLAIM" in found.fix


def test_nodes_that_are_short_of_disk_are_named() -> None:
    pressed = gpu_node("g1")
    pressed["status"]["conditions"].append({"type": "DiskPressure", "status": "True"})
    assert "g1 gets room in time" in told("disk", a_cluster(pressed, gpu_node("g2"))).says


def test_every_point_has_a_page_an_order_and_a_name_of_its_own() -> None:
    assert len(points()) >= 15
    assert all(one.page.strip() for one in points())
    assert len({one.id for one in points()}) == len({one.order for one in points()}) == len(points())
    named = {one.values[0] for one in TOLD} | {"several-nodes"}
    assert named == {one.id for one in points()}, "each has its tests here"
