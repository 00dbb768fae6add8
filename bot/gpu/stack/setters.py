"""Who sets which node label, so that a missing one leads to whoever should have set it.

kubernetes-sigs/node-feature-discovery, NVIDIA/gpu-operator (controllers/state_manager.go), NVIDIA/k8s-device-plugin
(internal/lm), NVIDIA/mig-parted, ROCm/k8s-device-plugin (its node labeller), and the NodeFeatureRules of
intel/intel-device-plugins-for-kubernetes.
"""

from bot.gpu.stack.link import Link

_DEPLOY = "nvidia.com/gpu.deploy."
_BY_OPERATOR = ("nvidia.com/gpu.present", "nvidia.com/gpu.workload.config", "nvidia.com/gpu-driver-upgrade")
_BY_NFD = ("feature.node.kubernetes.io/", "intel.feature.node.kubernetes.io/", "gpu.intel.com/")
_BY_FEATURES = ("nvidia.com/", "amd.com/")
_BY_PROVIDER = ("cloud.google.com/", "eks.amazonaws.com/", "k8s.amazonaws.com/", "kubernetes.azure.com/", "karpenter.")


def setter(key: str) -> Link | None:
    """The link that sets this label; None where people or the provider do."""
    if key.startswith(_BY_NFD):
        return Link.NODE_FEATURES
    if key.startswith((_DEPLOY, *_BY_OPERATOR)):
        return Link.OPERATOR
    if key.startswith("nvidia.com/mig.config"):
        return Link.MIG_MANAGER if key.endswith(".state") else None
    return Link.GPU_FEATURES if key.startswith(_BY_FEATURES) else None


def of_provider(key: str) -> bool:
    """Whether the cloud sets it when it makes a node."""
    return key.startswith(_BY_PROVIDER)


def operand(key: str) -> str:
    """The operator's part that this label switches on and off: `device-plugin`; empty for other labels."""
    return key.removeprefix(_DEPLOY) if key.startswith(_DEPLOY) else ""
