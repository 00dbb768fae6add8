"""Clusters to deploy on, as the API server has them, and what is asked for."""

from collections.abc import Iterable
from typing import Any

from bot.changes.kind import Ask
from bot.deploying.candidate import Choice
from bot.deploying.planner import choose
from bot.deploying.wishing import read_wish
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.serving.catalogue import catalogue
from tests.factories import NOW, POLICY
from tests.scaling.building import view_of

Object = dict[str, Any]
PRODUCTS = {
    "H200": "NVIDIA-H200",
    "H100": "NVIDIA-H100-80GB-HBM3",
    "B200": "NVIDIA-B200",
    "A100": "NVIDIA-A100-SXM4-80GB",
    "L40S": "NVIDIA-L40S",
    "H20": "NVIDIA-H20-3e",
}


def gpu_node(
    name: str, product: str = "H200", *, gpus: int = 8, driver: str = "580.95.05", memory: str = "2048Gi", **more: Any
) -> Object:
    """labels, allocatable and taints go on top."""
    room = {
        "cpu": "192",
        "memory": memory,
        "pods": "110",
        "ephemeral-storage": "900Gi",
        "nvidia.com/gpu": str(gpus),
        **more.get("allocatable", {}),
    }
    labels = {
        "kubernetes.io/hostname": name,
        "nvidia.com/gpu.product": PRODUCTS.get(product, product),
        "nvidia.com/cuda.driver-version.full": driver,
        **more.get("labels", {}),
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": name, "labels": labels},
        "spec": {"taints": more.get("taints", [])},
        "status": {"allocatable": room, "capacity": room, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def holder(name: str, node: str, gpus: int, *, priority: int = 0, namespace: str = "train") -> Object:
    """A pod that has GPUs already."""
    asked = {"cpu": "4", "nvidia.com/gpu": str(gpus)}
    container = {"name": "main", "image": "train:v1", "resources": {"limits": asked, "requests": asked}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": name},
        "spec": {"nodeName": node, "priority": priority, "containers": [container]},
        "status": {"phase": "Running"},
    }


def namespace(name: str = "llm", **labels: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "uid": name, "labels": labels}}


def storage_class(name: str = "shared") -> Object:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "uid": name},
        "provisioner": "nfs",
        "volumeBindingMode": "Immediate",
    }


def claim(name: str = "weights", *, size: str = "1Ti", modes: Iterable[str] = ("ReadWriteMany",)) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "llm", "uid": name},
        "spec": {
            "accessModes": list(modes),
            "resources": {"requests": {"storage": size}},
            "volumeName": f"pv-{name}",
            "storageClassName": "shared",
        },
        "status": {"phase": "Bound"},
    }


def a_cluster(*objects: Object, unread: Iterable[str] = ()) -> View:
    """With namespace llm and a storage class."""
    return view_of(namespace(), storage_class(), *objects, unread=unread)


def chosen(view: View, model: str = "glm", **options: str) -> Choice:
    wish = read_wish((model,), {"namespace": "llm", **options}, catalogue())
    return choose(wish, catalogue(), view, Inventory(view, POLICY), NOW)


def an_ask(view: View, model: str = "glm", because: str = "a launch", **arguments: str) -> Ask:
    told = {"model": model, "namespace": "llm", **arguments}
    return Ask(told, view, Inventory(view, POLICY), NOW, because=because)
