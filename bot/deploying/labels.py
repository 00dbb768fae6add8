"""What the labels of a node tell of its GPUs, of their driver and of the network between nodes.

NVIDIA/k8s-device-plugin:docs/gpu-feature-discovery and kubernetes-sigs/node-feature-discovery say who writes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.node import Node
from bot.domain.version import Version, version
from bot.gpu.kind import PRODUCT_LABELS
from bot.gpu.versions import DRIVER, of_node

_RDMA_LABELS = ("feature.node.kubernetes.io/rdma.available", "feature.node.kubernetes.io/rdma.capable")
DRIVER_MAJOR = ("nvidia.com/cuda.driver-version.major", "nvidia.com/cuda.driver.major")
_MEMORY, _MAJOR, _MINOR = "nvidia.com/gpu.memory", "nvidia.com/gpu.compute.major", "nvidia.com/gpu.compute.minor"


@dataclass(frozen=True, slots=True)
class Says:
    """What the labels of one node tell of its GPUs; None and empty where they do not."""

    products: Mapping[str, str]  # by label
    memory_mib: int | None
    capability: tuple[int, int] | None
    driver: Version | None
    driver_majors: frozenset[str]  # labels that tell it
    rdma: tuple[bool, ...]


def says_of(node: Node) -> Says:
    labels = node.labels
    memory, major, minor = (labels.get(key, "") for key in (_MEMORY, _MAJOR, _MINOR))
    return Says(
        products={key: value for key in PRODUCT_LABELS if (value := labels.get(key))},
        memory_mib=int(memory) if memory.isdigit() and len(memory) < 9 else None,
        capability=(int(major), int(minor)) if _small(major) and _small(minor) else None,
        driver=version(of_node(node)[DRIVER]),
        driver_majors=frozenset(key for key in DRIVER_MAJOR if key in labels),
        rdma=tuple(labels[key] == "true" for key in _RDMA_LABELS if key in labels),
    )


def _small(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 4
