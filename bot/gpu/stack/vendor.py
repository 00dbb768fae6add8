"""Whose GPUs a resource stands for, and with which tool and module their driver is looked at.

NVIDIA/k8s-device-plugin, ROCm/k8s-device-plugin, intel/intel-device-plugins-for-kubernetes, HabanaAI's plugin.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.thing import Thing


@dataclass(frozen=True, slots=True)
class Vendor:
    """`look` shows what the driver sees, as a command on the host; `module` is a pattern for `grep -E` in lsmod.

    `marks`: how keys of labels and taints begin, or what they hold, that speak of this vendor's GPUs.
    """

    name: str
    resource: str
    look: str
    module: str
    marks: tuple[str, ...]
    images: str  # pattern for what its device plugin's DaemonSet is called, or its image


NVIDIA = Vendor("NVIDIA", "nvidia.com/gpu", "nvidia-smi", "nvidia", ("nvidia.com/", "10de"), "nvidia|nvdp|hami|gke")
AMD = Vendor(
    "AMD",
    "amd.com/gpu",
    "sh -c 'ls -l /dev/kfd /dev/dri; amd-smi list || rocm-smi'",
    "amdgpu",
    ("amd.com/", "feature.node.kubernetes.io/amd-", "pci-0300_1002", "pci-0302_1002", "pci-0380_1002", "pci-1002"),
    r"amd|rocm|\bmi\d",
)
INTEL = Vendor(
    "Intel",
    "gpu.intel.com/i915",
    "sh -c 'ls -l /dev/dri; dmesg | grep -E \"i915|xe \" | tail -n 20'",
    "i915|xe",
    ("gpu.intel.com/", "intel.feature.node.kubernetes.io/"),
    "intel",
)
GAUDI = Vendor("Gaudi", "habana.ai/gaudi", "hl-smi", "habanalabs", ("habana.ai/",), "habana|gaudi")
OTHERS = (AMD, INTEL, GAUDI)  # NVIDIA's is what is meant where nothing tells


def of_resource(resource: str) -> Vendor:
    domain = resource.partition("/")[0]
    return next((one for one in OTHERS if one.resource.partition("/")[0] == domain), NVIDIA)


def of_marks(labels: Mapping[str, str], taints: tuple[str, ...]) -> Vendor:
    """The vendor that a node's labels and the keys of its taints speak of."""
    keys = (*(key for key, value in labels.items() if value != "false"), *taints)
    if any(key.startswith("nvidia.com/") for key in keys):
        return NVIDIA
    return next((one for one in OTHERS if any(mark in key for key in keys for mark in one.marks)), NVIDIA)


def of_daemonset(thing: Thing) -> Vendor:
    """Whose device plugin a DaemonSet runs."""
    images = (one.text("image") for one in thing.fields.each("spec", "template", "spec", "containers"))
    called = (thing.name, *(image.rpartition("@")[0] or image for image in images))
    return next((one for one in OTHERS if any(re.search(one.images, text) for text in called)), NVIDIA)
