"""The labels of a GPU node: those of Node Feature Discovery, GPU Feature Discovery and the GPU Operator.

Sources: NVIDIA/k8s-device-plugin:internal/lm/ and docs/gpu-feature-discovery,
NVIDIA/gpu-operator:controllers/state_manager.go.
"""

from bot.local.cluster.simulator.node_spec import NodeSpec
from bot.local.cluster.simulator.products import PRODUCTS, Product, slice_compute, slice_memory_mib

OPERANDS = (
    "container-toolkit", "dcgm", "dcgm-exporter", "device-plugin", "driver", "gpu-feature-discovery",
    "node-status-exporter", "operator-validator",
)  # fmt: skip


def gpu_labels(spec: NodeSpec) -> dict[str, str]:
    """NFD and the operator see the PCI device; GFD adds its labels only once driver and plugin work."""
    if not spec.product:
        return {}
    product = PRODUCTS[spec.product]
    found = _discovered(product, spec)
    if spec.plugin:
        found |= _driver(spec) | _gpu(spec, product)
        found |= _slices(spec) if spec.strategy == "mixed" else {}
    return found


def shared(spec: NodeSpec) -> bool:
    return spec.strategy == "time-slicing" and spec.replicas > 1


def _discovered(product: Product, spec: NodeSpec) -> dict[str, str]:
    labels = {
        f"feature.node.kubernetes.io/pci-{product.pci}_10de.present": "true",
        "feature.node.kubernetes.io/pci-10de.present": "true",
        "feature.node.kubernetes.io/kernel-version.full": "6.8.0-85-generic",
        "feature.node.kubernetes.io/system-os_release.ID": "ubuntu",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID": "24.04",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.deploy.operands": "true",
    }
    if spec.strategy == "dra":
        return labels | {"nvidia.com/gpu.deploy.dra-driver": "true", "nvidia.com/gpu.deploy.device-plugin": "false"}
    operands = (*OPERANDS, "mig-manager") if product.mig else OPERANDS
    return labels | {f"nvidia.com/gpu.deploy.{operand}": "true" for operand in operands}


def _driver(spec: NodeSpec) -> dict[str, str]:
    major, minor, revision = (*spec.driver.split("."), "", "")[:3]
    cuda_major, cuda_minor = spec.cuda.split(".")
    return {
        "nvidia.com/cuda.driver-version.full": spec.driver,
        "nvidia.com/cuda.driver-version.major": major,
        "nvidia.com/cuda.driver-version.minor": minor,
        "nvidia.com/cuda.driver-version.revision": revision,
        "nvidia.com/cuda.driver.major": major,
        "nvidia.com/cuda.driver.minor": minor,
        "nvidia.com/cuda.driver.rev": revision,
        "nvidia.com/cuda.runtime-version.full": spec.cuda,
        "nvidia.com/cuda.runtime-version.major": cuda_major,
        "nvidia.com/cuda.runtime-version.minor": cuda_minor,
        "nvidia.com/cuda.runtime.major": cuda_major,
        "nvidia.com/cuda.runtime.minor": cuda_minor,
    }


def _gpu(spec: NodeSpec, product: Product) -> dict[str, str]:
    sliced = spec.strategy == "mixed"
    labels = {
        "nvidia.com/gpu.product": spec.product + ("-SHARED" if shared(spec) else ""),
        "nvidia.com/gpu.count": str(spec.gpus),
        "nvidia.com/gpu.memory": str(product.memory_mib),
        "nvidia.com/gpu.family": product.family,
        "nvidia.com/gpu.compute.major": str(product.compute[0]),
        "nvidia.com/gpu.compute.minor": str(product.compute[1]),
        "nvidia.com/gpu.machine": spec.machine or "unknown",
        "nvidia.com/gpu.mode": "compute",
        "nvidia.com/gpu.replicas": "0" if sliced else str(spec.replicas if shared(spec) else 1),
        "nvidia.com/gpu.sharing-strategy": "time-slicing" if shared(spec) else "none",
        "nvidia.com/mig.capable": str(product.mig).lower(),
        "nvidia.com/mig.strategy": "mixed" if sliced else "single",
        "nvidia.com/mps.capable": "false",
        "nvidia.com/vgpu.present": "false",
        "nvidia.com/gpu-driver-upgrade-state": "upgrade-done",
    }
    if product.mig:
        labels |= {"nvidia.com/mig.config": "custom" if sliced else "all-disabled"}
        labels |= {"nvidia.com/mig.config.state": "success"}
    return labels


def _slices(spec: NodeSpec) -> dict[str, str]:
    labels: dict[str, str] = {}
    for profile, count in spec.mig.items():
        key = f"nvidia.com/mig-{profile}"
        labels |= {
            f"{key}.count": str(count),
            f"{key}.memory": str(slice_memory_mib(profile)),
            f"{key}.product": f"{spec.product}-MIG-{profile}",
            f"{key}.replicas": "1",
            f"{key}.sharing-strategy": "none",
            f"{key}.slices.gi": str(slice_compute(profile)),
            f"{key}.slices.ci": str(slice_compute(profile)),
        }
    return labels
