"""Nodes and workloads of the scenarios: whole enough for a real API server, small enough to read."""

from __future__ import annotations

from typing import Any

from tests.cluster.api import Object
from tests.cluster.objects import GPU, gpu_node

PRODUCT = "nvidia.com/gpu.product"
ZONE = "topology.kubernetes.io/zone"
DEDICATED = {"key": "dedicated", "value": "training", "effect": "NoSchedule"}
CONTROL_PLANE = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
GPU_TAINT = {"key": GPU, "value": "present", "effect": "NoSchedule"}


def a_node(name: str, gpus: int = 8, *, cordoned: bool = False, resource: str = GPU, **more: Any) -> Object:
    """`resource` is what its GPUs are called; `labels` and `taints` as for gpu_node."""
    node = gpu_node(name, gpus=gpus, **more)
    if cordoned:
        node["spec"]["unschedulable"] = True
    if resource != GPU:
        for amounts in (node["status"]["capacity"], node["status"]["allocatable"]):
            amounts[resource] = amounts.pop(GPU, str(gpus))
    return node


def a_spec(gpus: int = 1, *, resource: str = GPU, limits_only: bool = False, **more: Any) -> Object:
    """One container that asks for GPUs, with a sidecar container that asks for none."""
    wanted = {resource: str(gpus)} if gpus else {}
    resources = {"limits": wanted} if limits_only else {"limits": wanted, "requests": {"cpu": "1", **wanted}}
    containers = [
        {"name": "logs", "image": "registry.example.com/logs:1"},
        {"name": "engine", "image": "registry.example.com/engine:1", "resources": resources},
    ]
    return {"containers": containers, **more}


def a_pod(name: str, gpus: int = 1, *, app: str = "", annotations: dict[str, str] | None = None, **more: Any) -> Object:
    meta = {"name": name, "labels": {"app": app or name}, "annotations": annotations or {}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": a_spec(gpus, **more)}


def a_deployment(name: str, gpus: int = 1, replicas: int = 1, **more: Any) -> Object:
    return _workload("Deployment", name, {"replicas": replicas}, a_spec(gpus, **more))


def a_stateful_set(name: str, gpus: int = 1, replicas: int = 1, policy: str = "OrderedReady", **more: Any) -> Object:
    spec = {"replicas": replicas, "serviceName": name, "podManagementPolicy": policy}
    return _workload("StatefulSet", name, spec, a_spec(gpus, **more))


def a_daemon_set(name: str, gpus: int = 1, **more: Any) -> Object:
    return _workload("DaemonSet", name, {}, a_spec(gpus, **more))


def a_replica_set(name: str, gpus: int = 1, replicas: int = 1, **more: Any) -> Object:
    return _workload("ReplicaSet", name, {"replicas": replicas}, a_spec(gpus, **more))


def a_job(name: str, gpus: int = 1, pods: int = 1, backoff_limit: int = 6, **more: Any) -> Object:
    template = {"metadata": {"labels": {"app": name}}, "spec": a_spec(gpus, restartPolicy="Never", **more)}
    spec = {"parallelism": pods, "completions": pods, "backoffLimit": backoff_limit, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def _workload(kind: str, name: str, spec: Object, template: Object) -> Object:
    labels = {"app": name}
    whole = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": template}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": {**spec, **whole}}


def a_priority_class(name: str, value: int) -> Object:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }
