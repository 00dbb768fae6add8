"""What kind of GPU a node offers under which resource name: whole cards, MIG slices, shared ones, DRA devices.

Labels and names: NVIDIA/k8s-device-plugin (internal/lm, README), gke docs for `cloud.google.com/gke-*`.
"""

import enum
from functools import lru_cache

import msgspec

from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.record import Amounts, Labels

PRODUCT_LABELS = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "gpu.intel.com/product",
    "cloud.google.com/gke-accelerator",
    "k8s.amazonaws.com/accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "kubernetes.azure.com/accelerator",
    "aliyun.accelerator/nvidia_name",
    "gpu.nvidia.com/model",
    "accelerator",
)
PRESENCE_LABELS = (
    "nvidia.com/gpu.present",
    "feature.node.kubernetes.io/pci-10de.present",
    "feature.node.kubernetes.io/pci-0302_10de.present",
    "feature.node.kubernetes.io/pci-0300_10de.present",
    "cloud.google.com/gke-accelerator",
)
UNNAMED = "GPU without a product label"
_MIG_RESOURCE = Pattern(r"nvidia\.com/mig-([0-9]+g\.[0-9]+gb(?:\.[a-z0-9.]+)?)")
_MIG_PRODUCT = Pattern(r"(.+)-MIG-([0-9]+g\.[0-9]+gb(?:\.[A-Za-z0-9.]+)?|INVALID)")
_WHOLE = frozenset(
    {"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi", "aliyun.com/gpu"}
)
_VENDORS = Pattern(r"(?i)^(nvidia|amd|intel|tesla)[ _-]+")


class Form(enum.StrEnum):
    """How a GPU is handed out."""

    WHOLE = "whole"
    MIG = "mig"  # a hardware slice with its own memory
    SHARED = "shared"  # a share of a card, memory not isolated
    DEVICE = "device"  # by a ResourceClaim
    DEVICE_MIG = "device-mig"


class Kind(msgspec.Struct, frozen=True, gc=False):
    """Things that are interchangeable for a pod: same product, same form, same slice."""

    product: str
    form: Form = Form.WHOLE
    detail: str = ""  # MIG profile, or how it is shared

    @property
    def title(self) -> str:
        match self.form:
            case Form.MIG | Form.DEVICE_MIG:
                suffix = " (DRA)" if self.form is Form.DEVICE_MIG else ""
                return f"{self.product} MIG {self.detail}{suffix}"
            case Form.SHARED:
                return f"{self.product} shared ({self.detail})"
            case Form.DEVICE:
                return f"{self.product} (DRA)"
        return self.product

    @property
    def unit(self) -> str:
        """What one of them is called."""
        if self.form is Form.SHARED:
            return "share"
        return "slice" if self.form in (Form.MIG, Form.DEVICE_MIG) else "GPU"


def is_gpu_resource(resource: str) -> bool:
    """Whether an extended resource stands for GPUs, slices or shares of them."""
    return resource in _WHOLE or resource == "nvidia.com/gpu.shared" or _mig_profile(resource) is not None


def kind_of(resource: str, labels: Labels) -> Kind:
    """What `resource` means on a node with these labels."""
    name, profile = _product(product_label(labels))
    mig = _mig_profile(resource)
    if mig is not None:
        return Kind(name, Form.MIG, mig)
    if profile:
        return Kind(name, Form.MIG, profile)
    sharing = sharing_of(resource, labels)
    return Kind(name, Form.SHARED, sharing) if sharing else Kind(name)


def sharing_of(resource: str, labels: Labels) -> str:
    """How the cards behind `resource` are shared, such as `time-slicing x4`; empty where they are not."""
    strategy = labels.get("nvidia.com/gpu.sharing-strategy", "") or labels.get(
        "cloud.google.com/gke-gpu-sharing-strategy", ""
    )
    replicas = labels.get("nvidia.com/gpu.replicas", "") or labels.get(
        "cloud.google.com/gke-max-shared-clients-per-gpu", ""
    )
    shared = resource == "nvidia.com/gpu.shared" or labels.get(PRODUCT_LABELS[0], "").endswith("-SHARED")
    if not shared and not (replicas.isdigit() and int(replicas) > 1):
        return ""
    method = {"": "time-slicing", "none": "time-slicing", "time-sharing": "time-slicing", "mps": "MPS"}.get(
        strategy, strategy
    )
    return f"{method} x{replicas}" if replicas.isdigit() and int(replicas) > 1 else method


def gpus_in(amounts: Amounts) -> int:
    """How many GPUs (whole, slices, shared ones) an amount of resources names: requests, allocatable."""
    return sum(amount for name, amount in amounts.items() if is_gpu_resource(name))


def gpus_of(pod: Pod) -> int:
    """What it asks for by resource name; claims of devices are not counted."""
    return gpus_in(pod.requests)


def product_label(labels: Labels) -> str:
    """The product as some label names it, unchanged; empty where none does."""
    for key in PRODUCT_LABELS:
        value = labels.get(key)
        if value:
            return value
    return ""


def says_gpu(labels: Labels) -> str:
    """The label that says this node has a GPU, if one does."""
    for key in PRESENCE_LABELS:
        if labels.get(key, "false") != "false":
            return key
    return next((key for key in PRODUCT_LABELS if labels.get(key)), "")


@lru_cache(maxsize=512)
def short(product: str) -> str:
    """`NVIDIA-H200` and `NVIDIA H200` are `H200` to people."""
    return _VENDORS.sub("", product).replace(" ", "-") or product


@lru_cache(maxsize=512)
def _product(label: str) -> tuple[str, str]:
    """Name and MIG profile of a product label (MIG strategy `single` writes the profile into it)."""
    if not label:
        return UNNAMED, ""
    bare = label.removesuffix("-SHARED")
    found = _MIG_PRODUCT.fullmatch(bare)
    return (short(found[1]), found[2]) if found else (short(bare), "")


@lru_cache(maxsize=512)
def _mig_profile(resource: str) -> str | None:
    found = _MIG_RESOURCE.fullmatch(resource)
    return found[1] if found else None
