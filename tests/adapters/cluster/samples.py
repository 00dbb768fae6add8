"""Small Kubernetes objects for the reading tests, as an API server would send them."""

from typing import Any

Object = dict[str, Any]


def pod(name: str, namespace: str = "ml", *, node: str = "", gpus: int = 0, owner: str = "", **status: Any) -> Object:
    """A pod with one container; `status` are fields of its status."""
    requests = {"cpu": "2", "nvidia.com/gpu": str(gpus)} if gpus else {"cpu": "2"}
    metadata: Object = {"name": name, "namespace": namespace, "uid": f"uid-{namespace}-{name}"}
    if owner:
        reference = {"kind": "ReplicaSet", "apiVersion": "apps/v1", "name": owner, "uid": f"uid-{owner}"}
        metadata["ownerReferences"] = [{**reference, "controller": True}]
    spec: Object = {"containers": [{"name": "main", "image": "vllm", "resources": {"requests": requests}}]}
    if node:
        spec["nodeName"] = node
    return {"metadata": metadata, "spec": spec, "status": {"phase": "Running" if node else "Pending", **status}}


def node(name: str, *, gpus: int = 8, **spec: Any) -> Object:
    """A ready node; `spec` are fields of its spec."""
    allocatable = {"cpu": "64", "memory": "512Gi", "nvidia.com/gpu": str(gpus), "pods": "110"}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}
    return {
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": {"pool": "gpu"}},
        "spec": spec,
        "status": {"capacity": allocatable, "allocatable": allocatable, "conditions": [ready]},
    }


def plain(plural: str, name: str, namespace: str = "") -> Object:
    """An object of any kind with nothing but what its kind cannot do without."""
    metadata = {"name": name, "uid": f"uid-{name}", **({"namespace": namespace} if namespace else {})}
    spec = {"driver": "gpu.nvidia.com", "pool": {"name": name, "generation": 1, "resourceSliceCount": 1}}
    return {"metadata": metadata, **({"spec": spec} if plural == "resourceslices" else {})}
