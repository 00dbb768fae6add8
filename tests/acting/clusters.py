"""Clusters to change: the records of a view, and the same objects as the API server has them."""

from typing import Any

from bot.domain.node import Node
from bot.domain.pod import Pod
from tests.acting.building import FakeCluster, World
from tests.changes.building import a_whole_view
from tests.factories import a_node, a_pod, owned_by


def a_world(*records: Any, **changed: Any) -> World:
    """A view of these records, with objects behind its nodes and pods."""
    view = a_whole_view(*records)
    cluster = FakeCluster(view)
    for one in records:
        if isinstance(one, Node):
            spec = {"unschedulable": True} if one.unschedulable else {}
            cluster.know("Node", one.name, uid=one.uid, **spec)
        if isinstance(one, Pod):
            cluster.know("Pod", one.name, one.namespace, one.uid)
    return World(cluster, **changed)


def a_busy_node() -> World:
    """gpu-1 with three pods of two owners; gpu-2 has room for them."""
    glm, big = owned_by("StatefulSet", "glm"), owned_by("ReplicaSet", "big")
    return a_world(
        a_node("gpu-1", uid="n1"),
        a_node("gpu-2", uid="n2"),
        a_pod("glm-0", node="gpu-1", gpus=2, owner=glm, uid="p0"),
        a_pod("glm-1", node="gpu-1", gpus=2, owner=glm, uid="p1"),
        a_pod("big-x", node="gpu-1", gpus=1, owner=big, uid="p2"),
    )
