"""The one-off pod of `/gpu verify`: it asks for one GPU on one node, runs nvidia-smi and ends.

The node is named by affinity, not by `nodeName`, so that the scheduler decides as for any other pod; the container
fulfils the "restricted" Pod Security Standard. nvidia-smi is put into the container by the NVIDIA container toolkit,
which is the part that is tested, so that any image with a C library will do.
"""

from typing import Any

from bot.changes.settled import MANAGED_BY, OURS
from bot.domain.node import Node, Taint
from bot.domain.view import View

CONTAINER = "nvidia-smi"
DEFAULT_IMAGE = "ubuntu:22.04"
DEADLINE_SECONDS = 300
QUERY = "index,name,uuid,driver_version,memory.total,ecc.errors.uncorrected.volatile.total"
COMMAND = ("nvidia-smi", f"--query-gpu={QUERY}", "--format=csv,noheader")
RUNTIME_CLASS = "nvidia"


def manifest(view: View, node: Node, resource: str, image: str) -> dict[str, Any]:
    """Without name and namespace, which the step's target says."""
    runtime = {"runtimeClassName": RUNTIME_CLASS} if view.thing("RuntimeClass", "", RUNTIME_CLASS) else {}
    return {
        "metadata": {
            "labels": {MANAGED_BY: OURS, "app.kubernetes.io/name": "gpu-verify", "gpubot.dev/burn-in": "true"}
        },
        "spec": {
            **runtime,
            "restartPolicy": "Never",
            "activeDeadlineSeconds": DEADLINE_SECONDS,
            "terminationGracePeriodSeconds": 5,
            "automountServiceAccountToken": False,
            "affinity": _only_on(node.name),
            "tolerations": [_tolerated(taint) for taint in node.taints if taint.blocks],
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": 65534,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [_container(resource, image)],
        },
    }


def _container(resource: str, image: str) -> dict[str, Any]:
    return {
        "name": CONTAINER,
        "image": image,
        "command": list(COMMAND),
        "env": [{"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "utility"}],
        "resources": {
            "requests": {"cpu": "100m", "memory": "128Mi"},
            "limits": {"cpu": "1", "memory": "512Mi", resource: "1"},
        },
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


def _only_on(name: str) -> dict[str, Any]:
    """By the node's own name, as the DaemonSet controller does it: labels can be shared."""
    field = {"key": "metadata.name", "operator": "In", "values": [name]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def _tolerated(taint: Taint) -> dict[str, str]:
    if taint.value:
        return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
    return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
