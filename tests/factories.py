"""Builders with defaults: a test names only what matters to it."""

from datetime import UTC, datetime
from typing import Any

from bot.command import Cluster
from bot.domain.dra import Allocated, Device, ResourceClaim, ResourceSlice
from bot.domain.node import Condition, Node, Taint
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.domain.workload import Namespace, PodDisruptionBudget, PriorityClass, Workload
from bot.gpu.inventory import Inventory
from bot.gpu.policy import Policy

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
POLICY = Policy(
    team_labels=("team",),
    pool_labels=("pool",),
    burn_in_labels=("burn-in=true",),
    preemptible_labels=("preemptible=true",),
    preemptible_classes=frozenset({"scavenger"}),
)
KINDS = ("nodes", "pods", "namespaces", "replicasets", "jobs", "priorityclasses", "resourceslices", "resourceclaims")
READY = Condition("Ready", "True")


def a_node(
    name: str = "gpu-1", *, gpus: int = 8, healthy: int | None = None, product: str = "NVIDIA-H200", **changed: Any
) -> Node:
    """A ready GPU node; `healthy` is what is left of `gpus`."""
    room = {"cpu": 192_000, "memory": 2**41, "pods": 110}
    labels = {"nvidia.com/gpu.product": product, "nvidia.com/gpu.count": str(gpus)} if product else {}
    defaults: dict[str, Any] = {
        "labels": labels | changed.pop("more_labels", {}),
        "capacity": room | {"nvidia.com/gpu": gpus},
        "allocatable": room | {"nvidia.com/gpu": gpus if healthy is None else healthy},
        "conditions": (READY,),
    }
    return Node(name=name, **(defaults | changed))


def a_cpu_node(name: str = "cpu-1", **changed: Any) -> Node:
    room = {"cpu": 64_000, "memory": 2**38, "pods": 110}
    return Node(name=name, **({"capacity": room, "allocatable": room, "conditions": (READY,)} | changed))


def a_pod(name: str = "glm-0", *, node: str = "gpu-1", gpus: int = 1, namespace: str = "llm", **changed: Any) -> Pod:
    defaults: dict[str, Any] = {
        "requests": {"cpu": 1000, "nvidia.com/gpu": gpus} if gpus else {"cpu": 1000},
        "phase": "Running" if node else "Pending",
    }
    return Pod(name=name, namespace=namespace, node=node, **(defaults | changed))


def a_taint(text: str) -> Taint:
    """`key=value:Effect`."""
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    return Taint(key, value, effect)


def a_slice(node: str, devices: int = 2, *, product: str = "NVIDIA H100 80GB HBM3", **changed: Any) -> ResourceSlice:
    defaults: dict[str, Any] = {
        "driver": "gpu.nvidia.com",
        "pool": node,
        "node": node,
        "devices": tuple(Device(f"gpu-{index}", {"type": "gpu", "productName": product}) for index in range(devices)),
    }
    return ResourceSlice(name=f"{node}-slice", **(defaults | changed))


def a_claim(name: str, *devices: tuple[str, str], pod: str = "", namespace: str = "llm") -> ResourceClaim:
    """A claim that holds (pool, device) pairs of gpu.nvidia.com."""
    allocated = tuple(Allocated("gpu.nvidia.com", pool, device) for pool, device in devices)
    return ResourceClaim(name=name, namespace=namespace, allocated=allocated, reserved_for=(pod,) if pod else ())


def a_view(*records: Any, unread: tuple[str, ...] = (), cluster: str = "test") -> View:
    """A view of these records, every kind read just now but those in `unread`."""
    view = View(cluster)
    for kind in KINDS:
        reading = Reading.FORBIDDEN if kind in unread else Reading.LIVE
        detail = f"needs `list {kind}`" if kind in unread else ""
        view.sources[kind] = Source(kind, reading, None if kind in unread else NOW, detail)
    for record in records:
        put(view, record)
    return view


def put(view: View, record: Any) -> None:
    """Put a record where its type belongs."""
    kind = {
        Node: "nodes",
        Pod: "pods",
        Namespace: "namespaces",
        ResourceSlice: "resourceslices",
        ResourceClaim: "resourceclaims",
        PodDisruptionBudget: "poddisruptionbudgets",
        PriorityClass: "priorityclasses",
    }.get(type(record))
    if isinstance(record, Workload):
        kind = f"{record.kind.lower()}s"
    assert kind is not None, type(record)
    namespace = getattr(record, "namespace", "")
    view.put(kind, f"{namespace}/{record.name}" if namespace else record.name, record)


def a_cluster(*records: Any, unread: tuple[str, ...] = (), policy: Policy = POLICY) -> Cluster:
    view = a_view(*records, unread=unread)
    return Cluster(view.cluster, view, Inventory(view, policy))


def owned_by(kind: str, name: str, uid: str = "") -> Owner:
    return Owner(kind, name, uid or f"uid-{name}")
