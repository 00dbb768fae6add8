"""Which link of the GPU stack a pod or DaemonSet is, by its labels, its name and its images.

Names as in NVIDIA/gpu-operator (assets), NVIDIA/k8s-device-plugin (chart), GoogleCloudPlatform/
container-engine-accelerators, kubernetes-sigs/node-feature-discovery, NVIDIA/dcgm-exporter, NVIDIA/k8s-dra-driver-gpu,
ROCm/gpu-operator, intel/intel-device-plugins-for-kubernetes, and what AKS, EKS, ACK and k3s guides have people apply.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.gpu.stack.link import Link

LABELS = ("app", "app.kubernetes.io/name", "app.kubernetes.io/component", "k8s-app", "name", "component")
_RULES = tuple(
    (link, Pattern(pattern))
    for link, pattern in (
        (Link.EXPORTER, r"dcgm-?exporter|node-status-exporter|(?:gpu|device)-metrics-exporter"),
        (Link.DCGM, r"(?:^|[-/])(?:nvidia-)?dcgm(?:$|[-:])"),
        (Link.GPU_FEATURES, r"gpu-feature-discovery|^gfd$|node-labell?er"),
        (Link.MIG_MANAGER, r"mig-(?:manager|parted)"),
        (Link.FABRIC_MANAGER, r"fabric-?manager"),
        (Link.DRA_DRIVER, r"dra-driver|dra-kubelet-plugin"),
        (Link.VALIDATOR, r"(?:operator|cuda|plugin)-validator"),
        (Link.TOOLKIT, r"container-toolkit|nvidia-toolkit"),
        (Link.DRIVER, r"driver-(?:daemonset|installer)|nvidia-driver|(?:^|/)driver:|vgpu-manager|amdgpu-driver"),
        (
            Link.DEVICE_PLUGIN,
            r"(?:nvidia|gpu|amd|hami|nvdp|gaudi|habana).{0,40}device-?plugin|k8s-device-plugin|intel-gpu-plugin",
        ),
        (Link.NODE_FEATURES, r"nfd-worker|node-feature-discovery-worker"),
        (Link.OPERATOR, r"(?:^|/)gpu-operator(?:$|[:-])"),
    )
)
_ANY = Pattern("|".join(f"(?:{pattern.pattern})" for _, pattern in _RULES), re.MULTILINE)  # most pods match none
# It hands GPUs to virtual machines, and pods have nothing of it.
_FOR_MACHINES = Pattern(r"sandbox-(?:device-plugin|validat)|kubevirt-gpu|vgpu-device-manager|vfio-manager")
_NFD = Pattern(r"node-feature-discovery")
_NFD_OTHER = Pattern(r"master|topology|(?:^|-)gc(?:$|-)|prune")


def of_pod(pod: Pod) -> Link | None:
    """The link that a pod is; None for all others. Pods are called after their owner, so its name says as much.

    A static pod's owner is its node, which says nothing of it.
    """
    name = pod.owner.name if pod.owner and pod.owner.kind != "Node" else pod.name
    images = tuple([one.image for one in pod.containers if not one.init])
    return _link((name,), _values(pod.labels), images)


def of_daemonset(thing: Thing) -> Link | None:
    """The link that a DaemonSet (or a Deployment) runs."""
    fields = thing.fields
    labels = {**thing.labels, **fields.map("spec", "template", "metadata", "labels")}
    images = tuple(one.text("image") for one in fields.each("spec", "template", "spec", "containers"))
    return _link((thing.name,), _values(labels), images)


def _values(labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple([labels[key] for key in (*LABELS, "role") if labels.get(key)])


@lru_cache(maxsize=4096)
def _link(names: tuple[str, ...], labels: tuple[str, ...], images: tuple[str, ...]) -> Link | None:
    """What it is called says more than its image: feature discovery ships in the device plugin's image."""
    called = (*labels, *names)
    if not _ANY.search("\n".join((*called, *map(_short, images)))) and not _NFD.search("\n".join((*called, *images))):
        return None
    if any(_FOR_MACHINES.search(text) for text in called):
        return None
    return _first(called) or _nfd(called, images) or _first(map(_short, images))


def _first(texts: Iterable[str]) -> Link | None:
    known = tuple(texts)
    return next((link for link, pattern in _RULES if any(pattern.search(text) for text in known)), None)


def _nfd(called: tuple[str, ...], images: tuple[str, ...]) -> Link | None:
    """NFD's worker, master and garbage collector share name and image; only the worker looks at nodes."""
    if not any(_NFD.search(text) for text in (*called, *images)):
        return None
    return None if any(_NFD_OTHER.search(text) for text in called) else Link.NODE_FEATURES


def _short(image: str) -> str:
    """The last two parts of an image's name."""
    return "/".join(image.partition("@")[0].split("/")[-2:])
