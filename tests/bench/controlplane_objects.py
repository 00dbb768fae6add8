"""The large GPU cluster as etcd stores it: eight GPUs a node, pods of inference engines in groups of one owner."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from tests.bench.controlplane_admission import complete
from tests.cluster.objects import gpu_node, gpu_pod

NAMESPACES = 20
PODS_PER_OWNER = 8
CREATED = "2026-01-01T00:00:00Z"

Stored = tuple[str, dict[str, Any]]
"""(key in etcd, object)"""


def stored_nodes(count: int) -> Iterator[Stored]:
    for number in range(count):
        node = gpu_node(f"node-{number}", labels=_node_labels(number))
        yield f"/registry/minions/node-{number}", _with_identity(node)


def _node_labels(number: int) -> dict[str, str]:
    """Those of GPU feature discovery and of a cloud, as far as answers read them."""
    return {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "gpu-8x",
        "topology.kubernetes.io/region": "region-1",
        "topology.kubernetes.io/zone": f"zone-{number % 3}",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "NVIDIA-H200" if number % 2 else "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/gpu.count": "8",
        "nvidia.com/gpu.memory": "143771" if number % 2 else "81559",
        "nvidia.com/gpu.replicas": "1",
        "nvidia.com/mig.strategy": "single",
        "nvidia.com/cuda.driver.major": "580",
    }


def stored_namespaces() -> Iterator[Stored]:
    for number in range(NAMESPACES):
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"team-{number}"}}
        yield f"/registry/namespaces/team-{number}", _with_identity(namespace)


def stored_pods(count: int, nodes: int) -> Iterator[Stored]:
    for number in range(count):
        owner = number // PODS_PER_OWNER
        namespace, name = f"team-{owner % NAMESPACES}", f"engine-{owner}-{number % PODS_PER_OWNER}"
        on_node, round_ = number % nodes, number // nodes
        pod = gpu_pod(name, gpus=1 if round_ < 8 else 0, spec={"nodeName": f"node-{on_node}"})
        pod["metadata"] |= {"namespace": namespace, "labels": _pod_labels(owner), "ownerReferences": [_owner(owner)]}
        pod["status"] = _running(pod, on_node)
        complete(pod)
        yield f"/registry/pods/{namespace}/{name}", _with_identity(pod)


def _pod_labels(owner: int) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": f"engine-{owner}",
        "app.kubernetes.io/part-of": "inference",
        "pod-template-hash": f"{owner:08x}",
    }


def _owner(owner: int) -> dict[str, Any]:
    identity = str(uuid.uuid5(uuid.NAMESPACE_OID, str(owner)))
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": f"engine-{owner}",
        "uid": identity,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _running(pod: dict[str, Any], on_node: int) -> dict[str, Any]:
    conditions = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    (container,) = pod["spec"]["containers"]
    return {
        "phase": "Running",
        "qosClass": "Guaranteed",
        "startTime": CREATED,
        "hostIP": f"10.1.{on_node // 256}.{on_node % 256}",
        "conditions": [{"type": kind, "status": "True", "lastTransitionTime": CREATED} for kind in conditions],
        "containerStatuses": [
            {
                "name": container["name"],
                "image": container["image"],
                "imageID": f"{container['image']}@sha256:{'0' * 64}",
                "ready": True,
                "started": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": CREATED}},
            }
        ],
    }


def _with_identity(item: dict[str, Any]) -> dict[str, Any]:
    """What the API server adds when it stores a new object."""
    item["metadata"] |= {"uid": str(uuid.uuid4()), "creationTimestamp": CREATED, "generation": 1}
    return item
