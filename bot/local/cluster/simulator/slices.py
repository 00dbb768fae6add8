"""ResourceSlices of nodes whose GPUs are handed out by dynamic resource allocation.

Source: NVIDIA/k8s-dra-driver-gpu; kubernetes/api:resource/v1/types.go.
"""

from typing import Any

from bot.local.cluster.simulator.machine import Machine, gpu_uuid
from bot.local.cluster.simulator.node_spec import NodeSpec
from bot.local.cluster.simulator.products import PRODUCTS

DRIVER = "gpu.nvidia.com"
PATH = "/apis/resource.k8s.io/v1/resourceslices"


def slice_name(spec: NodeSpec) -> str:
    return f"{spec.name}-{DRIVER}"


def resource_slice(machine: Machine, generation: int = 1) -> dict[str, Any]:
    """All GPUs of the node that work; one that is lost is left out in the next generation."""
    spec = machine.spec
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": slice_name(spec)},
        "spec": {
            "driver": DRIVER,
            "nodeName": spec.name,
            "pool": {"name": spec.name, "generation": generation, "resourceSliceCount": 1},
            "devices": [_device(spec, index) for index in range(spec.gpus) if index not in machine.lost_gpus],
        },
    }


def _device(spec: NodeSpec, index: int) -> dict[str, Any]:
    product = PRODUCTS[spec.product]
    return {
        "name": f"gpu-{index}",
        "attributes": {
            "type": {"string": "gpu"},
            "uuid": {"string": gpu_uuid(spec, index)},
            "productName": {"string": spec.product.replace("-", " ")},
            "architecture": {"string": product.family.title()},
            "cudaComputeCapability": {"version": f"{product.compute[0]}.{product.compute[1]}.0"},
            "driverVersion": {"version": _semantic(spec.driver)},
        },
        "capacity": {"memory": {"value": f"{product.memory_mib}Mi"}},
    }


def _semantic(version: str) -> str:
    """The API takes semantic versions only: 580.95.05 is 580.95.5."""
    return ".".join(str(int(part)) for part in version.split("."))
