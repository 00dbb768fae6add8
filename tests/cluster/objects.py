"""Nodes and pods as the API server takes them: complete enough to schedule, small enough to read."""

from __future__ import annotations

from typing import Any

GPU = "nvidia.com/gpu"


def gpu_node(
    name: str, *, gpus: int = 8, labels: dict[str, str] | None = None, taints: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    """A ready node with its whole status, which the API server takes in one POST. `gpus=0` is a node without any."""
    capacity = {"cpu": "96", "memory": "1024Gi", "ephemeral-storage": "1024Gi", "pods": "110"}
    if gpus:
        capacity[GPU] = str(gpus)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": {"taints": taints or []},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
            "addresses": [{"type": "Hostname", "address": name}],
        },
    }


def gpu_pod(
    name: str,
    *,
    gpus: int = 1,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    spec: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A pod of one container that asks for `gpus`; `spec` overrides fields of its spec (nodeName, tolerations...)."""
    resources = {"cpu": "1", "memory": "1Gi", **({GPU: str(gpus)} if gpus else {})}
    container = {
        "name": "engine",
        "image": "registry.example.com/engine:1",
        "resources": {"requests": resources, "limits": resources},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}, "annotations": annotations or {}},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 0, **(spec or {})},
    }
