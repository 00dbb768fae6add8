"""Whose cordon it is, as far as the node itself tells.

NVIDIA/gpu-operator (driver upgrade states), NVIDIA/NVSentinel (quarantine labels), kubernetes-sigs/karpenter,
kubernetes/autoscaler (scale-down taints), CoreWeave's workload scheduling pages.
"""

from bot.domain.node import Node

UPGRADE_STATE = "nvidia.com/gpu-driver-upgrade-state"
_UPGRADING = frozenset(
    {
        "cordon-required",
        "wait-for-jobs-required",
        "pod-deletion-required",
        "drain-required",
        "node-maintenance-required",
        "post-maintenance-required",
        "pod-restart-required",
        "validation-required",
        "uncordon-required",
    }
)
_TAINTS = {
    "karpenter.sh/disrupted": "Karpenter is replacing the node",
    "ToBeDeletedByClusterAutoscaler": "the cluster autoscaler is removing the node",
    "DeletionCandidateOfClusterAutoscaler": "the cluster autoscaler may remove the node",
}
_KUBECTL = ("kubectl", "kubectl-cordon", "kubectl-drain")


def upgrading(node: Node) -> bool:
    """Whether a driver upgrade is under way there or has failed, and so may have cordoned it."""
    return node.labels.get(UPGRADE_STATE, "") in _UPGRADING | {"upgrade-failed"}


def who(node: Node) -> str:
    """A clause for people such as `by the driver upgrade (drain-required)`; empty where nothing tells."""
    state = node.labels.get(UPGRADE_STATE, "")
    if state == "upgrade-failed":
        return "by a driver upgrade that failed"
    if state in _UPGRADING:
        return f"by the driver upgrade ({state})"
    quarantine = node.labels.get("k8saas.nvidia.com/cordon-by", "")
    if quarantine:
        reason = node.labels.get("k8saas.nvidia.com/cordon-reason", "")
        return f"by {quarantine}{f' ({reason})' if reason else ''}"
    for taint in node.taints:
        if taint.key in _TAINTS:
            return _TAINTS[taint.key]
    if node.labels.get("node.coreweave.cloud/reserved-desired", "") != node.labels.get(
        "node.coreweave.cloud/reserved", ""
    ):
        return "the provider is moving the node"
    if node.cordoned_by in _KUBECTL:
        return "by a person with kubectl"
    return f"by {node.cordoned_by}" if node.cordoned_by else ""
