"""How a managed cluster's GPU nodes get a driver and a device plugin where no GPU operator brings them.

Pages of GKE (gke-gpu-driver-version), AKS (--gpu-driver), EKS (accelerated machine images) on GPU nodes.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import Node


def hints(node: Node) -> Iterator[Remedy]:
    """How the provider of that node brings a driver."""
    labels = node.labels
    if "kubernetes.azure.com/agentpool" in labels or "kubernetes.azure.com/accelerator" in labels:
        pool = labels.get("kubernetes.azure.com/agentpool", "the pool")
        yield Remedy(
            f"On AKS: a pool made with `--gpu-driver none` has no driver; make {pool} anew without it, or let the "
            "GPU operator install one"
        )
    elif group := labels.get("eks.amazonaws.com/nodegroup"):
        yield Remedy(
            "On EKS: only the accelerated images (AL2023_x86_64_NVIDIA, BOTTLEROCKET_x86_64_NVIDIA) have the driver, "
            f"and of these only Bottlerocket brings a device plugin; see the AMI type of {group}"
        )
    elif "cloud.google.com/gke-accelerator" in labels:
        pool = labels.get("cloud.google.com/gke-nodepool", "the pool")
        yield Remedy(f"On GKE: set a driver version for {pool} (`gpu-driver-version=default`), or apply its installer")
