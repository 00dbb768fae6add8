"""Random GPU fleets for the real scheduler: every way in which a pod can hold GPUs, and a node can withhold them."""

from __future__ import annotations

import random
from typing import Any

from tests.cluster.api import Object
from tests.cluster.objects import GPU, gpu_node, gpu_pod

PRODUCT = "nvidia.com/gpu.product"
PRODUCTS = ("NVIDIA-H200", "NVIDIA-H100-80GB-HBM3")
GPU_TAINT = {"key": GPU, "value": "present", "effect": "NoSchedule"}
RESERVED = {"key": "dedicated", "value": "training", "effect": "NoSchedule"}
ANY_GPU_NODE = {"key": GPU, "operator": "Exists"}
ANYWHERE = {"operator": "Exists"}
OVERHEAD_CLASS = "sandboxed"
WAITS = "too-big"
"""A pod that fits nowhere, whatever ends."""
FEW_PODS = "5"
Spec = dict[str, Any]


def random_nodes(chance: random.Random) -> list[Object]:
    """Thirteen nodes: usually tainted as GPU nodes are, some reserved, some with lost GPUs, one that takes few pods."""
    nodes = [_gpu_node(chance, number) for number in range(12)]
    return [*nodes, gpu_node("plain", gpus=0)]


def _gpu_node(chance: random.Random, number: int) -> Object:
    gpus = chance.choice((2, 4, 8))
    taints = [GPU_TAINT] if chance.random() < 0.8 else []
    if number == 0 or chance.random() < 0.15:
        taints = [*taints, RESERVED]
    node = gpu_node(f"node-{number}", gpus=gpus, labels={PRODUCT: PRODUCTS[number % 2]}, taints=taints)
    allocatable = dict(node["status"]["capacity"])
    if chance.random() < 0.2:
        allocatable[GPU] = str(gpus - 1)  # one is marked unhealthy
    if number == 1:
        allocatable["pods"] = FEW_PODS
    node["status"]["allocatable"] = allocatable
    return node


def random_pods(chance: random.Random) -> list[Object]:
    """Pods of all shapes, more than fit."""
    shapes = list(SHAPES)
    pods = [_pod(chance, f"{shape}-{number}", shape) for number, shape in enumerate(chance.choices(shapes, k=20))]
    return [*pods, gpu_pod(WAITS, gpus=64, spec={"tolerations": [ANYWHERE]})]


def _pod(chance: random.Random, name: str, shape: str) -> Object:
    toleration = ANYWHERE if chance.random() < 0.3 else ANY_GPU_NODE
    pod = gpu_pod(name, gpus=chance.choice((1, 1, 2)), spec={"tolerations": [toleration]})
    pod["spec"] |= SHAPES[shape](pod["spec"])
    return pod


def _container(name: str, gpus: int, **more: Any) -> Spec:
    resources = {GPU: str(gpus)}
    return {"name": name, "image": "registry.example.com/other:1", "resources": {"limits": resources}, **more}


SHAPES = {
    "plain": lambda spec: {},
    "no-gpu": lambda spec: {"containers": [_without_gpu(spec["containers"][0])]},
    "two-containers": lambda spec: {"containers": [*spec["containers"], _container("second", 1)]},
    "init": lambda spec: {"initContainers": [_container("load", 3)]},
    "sidecar": lambda spec: {"initContainers": [_container("helper", 1, restartPolicy="Always")]},
    "sidecar-then-init": lambda spec: {
        "initContainers": [_container("helper", 1, restartPolicy="Always"), _container("load", 2)]
    },
    "init-then-sidecar": lambda spec: {
        "initContainers": [_container("load", 2), _container("helper", 1, restartPolicy="Always")]
    },
    "overhead": lambda spec: {"runtimeClassName": OVERHEAD_CLASS},
    "pod-level": lambda spec: {"resources": {"requests": {"cpu": "4", "memory": "4Gi"}}},
}
"""What makes a pod of that name other than one container: fields of its spec, given the plain one."""


def _without_gpu(container: Spec) -> Spec:
    resources = {"cpu": "1", "memory": "1Gi"}
    return {**container, "resources": {"requests": resources, "limits": resources}}


def overhead_class() -> Object:
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": OVERHEAD_CLASS},
        "handler": OVERHEAD_CLASS,
        "overhead": {"podFixed": {"cpu": "500m", "memory": "128Mi"}},
    }
