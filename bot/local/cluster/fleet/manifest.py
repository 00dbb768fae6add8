"""Workloads of a fleet file as Kubernetes objects."""

from typing import Any

from bot.local.cluster.fleet.schema import Namespace, Priority, Workload
from bot.local.cluster.simulator.pod_run import PULL_SECONDS, READY_SECONDS, RUN_SECONDS

Obj = dict[str, Any]

PATHS = {
    "Namespace": "/api/v1/namespaces",
    "Pod": "/api/v1/namespaces/{namespace}/pods",
    "Deployment": "/apis/apps/v1/namespaces/{namespace}/deployments",
    "StatefulSet": "/apis/apps/v1/namespaces/{namespace}/statefulsets",
    "DaemonSet": "/apis/apps/v1/namespaces/{namespace}/daemonsets",
    "Job": "/apis/batch/v1/namespaces/{namespace}/jobs",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "DeviceClass": "/apis/resource.k8s.io/v1/deviceclasses",
    "ResourceClaim": "/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims",
    "Service": "/api/v1/namespaces/{namespace}/services",
    "ConfigMap": "/api/v1/namespaces/{namespace}/configmaps",
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
    "PersistentVolumeClaim": "/api/v1/namespaces/{namespace}/persistentvolumeclaims",
    "ResourceQuota": "/api/v1/namespaces/{namespace}/resourcequotas",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets",
}


def path_of(manifest: Obj) -> str:
    """Where to create it. Raises KeyError for a kind that fleets do not have."""
    return PATHS[manifest["kind"]].format(namespace=manifest["metadata"].get("namespace", ""))


def namespace_manifest(namespace: Namespace) -> Obj:
    labels = {"team": namespace.team} if namespace.team else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace.name, "labels": labels}}


def priority_manifest(priority: Priority) -> Obj:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": priority.name},
        "value": priority.value,
        "preemptionPolicy": "PreemptLowerPriority" if priority.preempts else "Never",
        "description": priority.description,
    }


def workload_manifest(workload: Workload, team: str) -> Obj:
    kind, name = workload.kind, workload.name
    labels = {"app": name, **({"team": team} if team else {}), **workload.labels}
    meta: Obj = {"name": name, "namespace": workload.namespace, "labels": labels}
    pod: Obj = {"metadata": {"labels": labels, "annotations": _pace(workload)}, "spec": _pod_spec(workload)}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": {**meta, **pod["metadata"]}, "spec": pod["spec"]}
    if kind == "Job":
        spec: Obj = {"completions": workload.completions, "parallelism": workload.replicas, "backoffLimit": 3}
        return {"apiVersion": "batch/v1", "kind": kind, "metadata": meta, "spec": {**spec, "template": pod}}
    spec = {"selector": {"matchLabels": {"app": name}}, "template": pod}
    if kind != "DaemonSet":
        spec["replicas"] = workload.replicas
    if kind == "StatefulSet":
        spec |= {"serviceName": name, "podManagementPolicy": "Parallel" if workload.parallel else "OrderedReady"}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": spec}


def _pod_spec(workload: Workload) -> Obj:
    quantities = {"cpu": workload.cpu, "memory": workload.memory}
    if workload.gpus:
        quantities[workload.resource] = str(workload.gpus)
    container: Obj = {"name": "main", "image": workload.image}
    container["resources"] = {"requests": quantities, "limits": dict(quantities)}
    told = {"command": workload.command, "args": workload.args}
    container |= {name: words for name, words in told.items() if words}
    spec: Obj = {"containers": [container], "terminationGracePeriodSeconds": 30}
    selector = {**workload.node_selector}
    if workload.product:
        selector["nvidia.com/gpu.product"] = workload.product
    if workload.kind == "Job":
        spec["restartPolicy"] = "Never"
    if workload.priority_class:
        spec["priorityClassName"] = workload.priority_class
    if workload.tolerations:
        spec["tolerations"] = workload.tolerations
    if workload.claims:
        spec["resourceClaims"] = [{"name": name, "resourceClaimName": name} for name in workload.claims]
        container["resources"]["claims"] = [{"name": name} for name in workload.claims]
    return spec | ({"nodeSelector": selector} if selector else {}) | _affinity(workload.hosts)


def _affinity(hosts: list[str]) -> Obj:
    if not hosts:
        return {}
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": hosts}
    required = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def _pace(workload: Workload) -> dict[str, str]:
    seconds = {
        PULL_SECONDS: workload.pull_seconds,
        READY_SECONDS: workload.ready_seconds,
        RUN_SECONDS: workload.run_seconds,
    }
    return {**workload.annotations, **{name: str(value) for name, value in seconds.items() if value is not None}}
