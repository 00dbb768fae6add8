"""Who brings driver, toolkit and device plugin to a node: a GPU operator, a plain DaemonSet, or the provider.

What to look at when something is broken differs between them. NVIDIA/gpu-operator makes its DaemonSets from a
ClusterPolicy (or a GPUCluster, for DRA), ROCm/gpu-operator from a DeviceConfig; NVIDIA/k8s-device-plugin alone expects
driver and toolkit on the host; GKE, AKS, EKS and others bring their own (see `providers`).
"""

import enum
from dataclasses import dataclass

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.gpu.stack.link import Link
from bot.gpu.stack.recognise import of_pod
from bot.gpu.stack.sight import Sight

_OPERATORS = ("ClusterPolicy", "GPUCluster", "NVIDIADriver", "DeviceConfig")
_DEPLOY = "nvidia.com/gpu.deploy.operands"
_PROVIDERS = (
    ("cloud.google.com/gke-", "GKE"),
    ("kubernetes.azure.com/", "AKS"),
    ("eks.amazonaws.com/", "EKS"),
    ("node.alibabacloud.com/", "ACK"),
    ("cloud.tencent.com/", "TKE"),
    ("node.coreweave.cloud/", "CoreWeave"),
)
_ON_HOST = "driver and toolkit have to be on the host"
_OF_PROVIDER = ("gke.gcr.io/", "nvidia-gpu-device-plugin", "ack-nvidia-device-plugin", "tke-")


class By(enum.StrEnum):
    """What manages a node's GPU stack."""

    OPERATOR = "GPU operator"
    PLUGIN = "plain device plugin"
    PROVIDER = "provider"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Manager:
    """`told` is a clause with names: `GPU operator v25.3.0 (ClusterPolicy cluster-policy: ready)`."""

    by: By
    told: str


def manager(sight: Sight) -> Manager:
    """Of that node. A DaemonSet's owner says more than labels do."""
    plugin = _plugin(sight)
    if (found := _operator(sight, plugin)) is not None:
        return found
    provider = provider_of(sight.node)
    if plugin is not None and provider and _ships(plugin):
        return Manager(By.PROVIDER, f"{provider}, with its own device plugin (DaemonSet {plugin.key})")
    if plugin is not None:
        return Manager(By.PLUGIN, f"plain device plugin (DaemonSet {plugin.key}); {_ON_HOST}")
    pod = next(iter(sight.links.get(Link.DEVICE_PLUGIN, ())), None)
    if pod is not None:
        return Manager(By.PLUGIN, f"plain device plugin (pod {pod.key}); {_ON_HOST}")
    if provider and sight.offered:
        return Manager(By.PROVIDER, f"{provider}, with a device plugin that is no pod")
    return Manager(By.NOBODY, "no GPU operator and no device plugin was found for it")


def provider_of(node: Node) -> str:
    """The managed Kubernetes that its labels speak of; empty where none does."""
    return next((name for prefix, name in _PROVIDERS for key in node.labels if key.startswith(prefix)), "")


def _plugin(sight: Sight) -> Thing | None:
    """The DaemonSet whose pod is on the node, else the first of the cluster."""
    there = {pod.owner.uid for pod in sight.links.get(Link.DEVICE_PLUGIN, ()) if pod.owner}
    return next((one for one in sight.plugins if one.uid in there), next(iter(sight.plugins), None))


def _operator(sight: Sight, plugin: Thing | None) -> Manager | None:
    owner = plugin.owner if plugin is not None else None
    made = owner is not None and owner.kind in _OPERATORS
    if not made and not _marked(sight, plugin):
        return None
    by = f"{owner.kind} {owner.name}" if made and owner is not None else ""
    return Manager(By.OPERATOR, f"GPU operator{_release(sight)}{_made_from(_policies(sight), by)}")


def _marked(sight: Sight, plugin: Thing | None) -> bool:
    """Where no owner tells. An operator that was removed leaves its labels on nodes: a policy has to be there too."""
    if plugin is not None and _labelled(plugin):
        return True
    on_node = sight.node.labels.get(_DEPLOY) == "true"
    there = bool(_policies(sight)) or not sight.view.knows("clusterpolicies")
    return there and (on_node or (plugin is None and bool(_policies(sight))))


def _policies(sight: Sight) -> list[Thing]:
    return sorted(sight.view.things("clusterpolicies").values(), key=lambda one: one.name)


def _labelled(plugin: Thing) -> bool:
    return "gpu-operator" in plugin.labels.get("app.kubernetes.io/managed-by", "") or plugin.namespace == "gpu-operator"


def _made_from(policies: list[Thing], owner: str) -> str:
    if policies:
        state = policies[0].fields.text("status", "state") or "tells no state"
        return f" (ClusterPolicy {policies[0].name}: {state})"
    return f" ({owner})" if owner else ""


def _release(sight: Sight) -> str:
    pods = [pod for pod in sight.view.pods_that(is_operator) if not pod.finished]
    tags = (tag for pod in pods for one in pod.containers if (tag := image_tag(one.image)))
    return next((f" {tag}" for tag in tags), "")


def is_operator(pod: Pod) -> bool:
    """Asked of every pod of a fleet: a look at its name settles nearly all."""
    if "operator" not in pod.name and not any("operator" in one.image for one in pod.containers):
        return False
    return of_pod(pod) is Link.OPERATOR


def _ships(plugin: Thing) -> bool:
    images = (one.text("image") for one in plugin.fields.each("spec", "template", "spec", "containers"))
    return any(mark in text for text in (plugin.name, *images) for mark in _OF_PROVIDER)


def image_tag(image: str) -> str:
    """What stands behind the name's colon; empty where nothing does."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]
