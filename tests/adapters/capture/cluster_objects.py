"""A small cluster as the JSON of its objects: GPU nodes, a StatefulSet with a waiting pod, a Deployment's pods, events."""

from typing import Any

Object = dict[str, Any]
CREATED = "2026-11-30T08:00:00Z"


def named(kind: str, version: str, name: str, namespace: str = "", **rest: Any) -> Object:
    """An object of any kind; its uid is made of its name, as long as that is short."""
    metadata: Object = {"name": name, "uid": uid(kind, name), "creationTimestamp": CREATED, "resourceVersion": "7"}
    if namespace:
        metadata["namespace"] = namespace
    metadata |= rest.pop("metadata", {})
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}


def uid(kind: str, name: str) -> str:
    digits = (kind + name).encode().hex()[-12:].rjust(12, "0")
    return f"8d1f0c2a-5b7e-4c3d-9e10-{digits}"


def owner(kind: str, name: str, version: str = "apps/v1") -> list[Object]:
    return [{"apiVersion": version, "kind": kind, "name": name, "uid": uid(kind, name), "controller": True}]


def a_node(name: str, *, cordoned: bool = False, **labels: str) -> Object:
    room = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}
    fields = {"f:spec": {"f:unschedulable": {}, "f:taints": {}}}
    entry = {"manager": "kubectl-cordon", "operation": "Update", "time": CREATED, "fieldsV1": fields}
    return named(
        "Node",
        "v1",
        name,
        metadata={
            "labels": {"kubernetes.io/hostname": name, "nvidia.com/gpu.product": "NVIDIA-H200", **labels},
            "annotations": {"nvidia.com/note": "ask in #acme-gpus"},
            "managedFields": [entry, {"manager": "kubelet", "fieldsV1": {"f:status": {}}}],
        },
        spec={"unschedulable": True} if cordoned else {"podCIDR": "10.9.3.0/24"},
        status={
            "capacity": room,
            "allocatable": room,
            "addresses": [{"type": "InternalIP", "address": "192.168.7.21"}, {"type": "Hostname", "address": name}],
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": CREATED}],
            "nodeInfo": {"kubeletVersion": "v1.36.3", "machineID": "8f" * 16, "bootID": uid("Boot", name)},
        },
    )


def a_pod(name: str, namespace: str, owners: list[Object], *, node: str = "", gpus: int = 4, **rest: Any) -> Object:
    container = {
        "name": "vllm",
        "image": "registry.acme.example.com/ml-platform/vllm-openai:v0.12.0",
        "resources": {"requests": {"nvidia.com/gpu": str(gpus)}, "limits": {"nvidia.com/gpu": str(gpus)}},
        **rest.pop("container", {}),
    }
    waiting = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint "
        "{acme.com/reserved: search-prod}. no new claims to deallocate, preemption: 0/2 nodes are available.",
    }
    return named(
        "Pod",
        "v1",
        name,
        namespace,
        metadata={"ownerReferences": owners, "labels": {"app": "chat-glm", "tier": "prod"}} | rest.pop("metadata", {}),
        spec={"containers": [container], "nodeName": node} if node else {"containers": [container]},
        status={"phase": "Running", "podIP": "10.9.3.17"} if node else {"phase": "Pending", "conditions": [waiting]},
    )


def an_event(name: str, namespace: str, about: Object, message: str) -> Object:
    metadata = about["metadata"]
    return named(
        "Event",
        "v1",
        name,
        namespace,
        involvedObject={
            "kind": about["kind"],
            "name": metadata["name"],
            "namespace": namespace,
            "uid": metadata["uid"],
        },
        reason="Scheduled",
        message=message,
        type="Normal",
        lastTimestamp="2026-11-30T11:59:00Z",
    )


def cluster() -> dict[str, list[Object]]:
    """Objects by plural."""
    waiting = a_pod("chat-glm-1", "acme-serving", owner("StatefulSet", "chat-glm"))
    return {
        "namespaces": [named("Namespace", "v1", name) for name in ("default", "kube-system", "kube-node-lease")]
        + [named("Namespace", "v1", "acme-serving", metadata={"labels": {"team": "search-prod"}})],
        "nodes": [
            a_node("gpu-rack7-a", **{"acme.com/rack": "rack7"}),
            a_node("gpu-rack7-b.acme.example.com", cordoned=True),
        ],
        "statefulsets": [named("StatefulSet", "apps/v1", "chat-glm", "acme-serving", spec={"serviceName": "chat-glm"})],
        "deployments": [named("Deployment", "apps/v1", "rerank", "acme-serving")],
        "replicasets": [
            named(
                "ReplicaSet",
                "apps/v1",
                "rerank-7f9c6d5b48",
                "acme-serving",
                metadata={"ownerReferences": owner("Deployment", "rerank"), "labels": {"app": "rerank"}},
            )
        ],
        "pods": [
            a_pod("chat-glm-0", "acme-serving", owner("StatefulSet", "chat-glm"), node="gpu-rack7-a"),
            waiting,
            a_pod(
                "rerank-7f9c6d5b48-x2x9z",
                "acme-serving",
                owner("ReplicaSet", "rerank-7f9c6d5b48"),
                node="gpu-rack7-b.acme.example.com",
                gpus=1,
            ),
        ],
        "configmaps": [named("ConfigMap", "v1", "chat-settings", "acme-serving", data={"prompt": "inner words"})],
        "secrets": [named("Secret", "v1", "hf-login", "acme-serving", data={"token": "aGZfYWJjZGVmZ2hpamtsbW5vcA=="})],
        "events": [
            an_event(
                "chat-glm-1.17c2f3a4b5c6d7e8",
                "acme-serving",
                waiting,
                "pod acme-serving/chat-glm-1 does not fit on gpu-rack7-a (192.168.7.21), see api.acme.example.com",
            )
        ],
    }
