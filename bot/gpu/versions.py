"""Which versions GPU nodes run, pool by pool, and which nodes are not like their pool.

Of each part the value that most nodes of a pool have is the usual one; where two values are as frequent there is none,
and nobody is called odd. A value that was not told is neither: it is counted apart.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.domain.errors import NotFoundError
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.view import View
from bot.gpu.cordon import upgrading
from bot.gpu.inventory import Inventory
from bot.gpu.kind import UNNAMED, product_label, short
from bot.gpu.row import GpuNode
from bot.gpu.stack.link import Link
from bot.gpu.stack.manager import image_tag
from bot.gpu.stack.recognise import of_pod
from bot.grammar import quoted

DRIVER, TOOLKIT, PLUGIN = "driver", "toolkit", "plugin"
PARTS = (DRIVER, "CUDA", TOOLKIT, PLUGIN, "kubelet", "runtime", "kernel", "OS")
_FROM_PODS = {Link.TOOLKIT: TOOLKIT, Link.DEVICE_PLUGIN: PLUGIN}
_NFD = "feature.node.kubernetes.io/"


@dataclass(frozen=True, slots=True)
class Ask:
    """Parts of names, without regard to case; empty: all."""

    pool: str = ""
    product: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part in one pool. `values`: value → names of nodes, the most frequent first; `untold`: nodes without one.

    `usual` is empty where no value is more frequent than all others.
    """

    name: str
    values: Mapping[str, tuple[str, ...]]
    untold: tuple[str, ...]
    usual: str

    @property
    def odd(self) -> dict[str, str]:
        """Node → its value, of nodes that differ from the usual one."""
        if not self.usual:
            return {}
        return {node: value for value, nodes in self.values.items() if value != self.usual for node in nodes}

    @property
    def divided(self) -> bool:
        """Several values, and none of them is the usual one."""
        return not self.usual and len(self.values) > 1


@dataclass(frozen=True, slots=True)
class Pool:
    """`name` is the pool label's value, else what the nodes have and run on. `upgrading`: a driver upgrade is on."""

    name: str
    nodes: tuple[str, ...]
    products: tuple[str, ...]
    parts: Mapping[str, Part]
    upgrading: tuple[str, ...]

    @property
    def odd(self) -> dict[str, list[Part]]:
        """Node → the parts in which it differs."""
        found: dict[str, list[Part]] = {}
        for part in self.parts.values():
            for node in part.odd:
                found.setdefault(node, []).append(part)
        return dict(sorted(found.items(), key=lambda item: natural(item[0])))

    @property
    def divided(self) -> list[Part]:
        return [part for part in self.parts.values() if part.divided]


def versions(inventory: Inventory, ask: Ask) -> list[Pool]:
    """Pools by name, those that match. Raises NotFoundError where a pool or product matches nothing."""
    inventory.refresh()
    view = inventory.view
    tags = images(view)
    pools: dict[str, list[Node]] = {}
    for gpu_node in inventory.nodes.values():
        node = view.nodes.get(gpu_node.name)
        if node is not None:
            pools.setdefault(_pool(gpu_node, node), []).append(node)
    matching = _matching(pools, ask)
    return [_pool_of(name, matching[name], tags) for name in sorted(matching, key=natural)]


def _matching(pools: Mapping[str, list[Node]], ask: Ask) -> dict[str, list[Node]]:
    chosen = {name: nodes for name, nodes in pools.items() if _like(ask.pool, name)}
    if pools and not chosen:
        raise NotFoundError(f"No pool of GPU nodes here is called {quoted(ask.pool)}; there are: {_listed(pools)}.")
    found: dict[str, list[Node]] = {}
    for name, nodes in chosen.items():
        if kept := [node for node in nodes if _like(ask.product, _product(node))]:
            found[name] = kept
    if chosen and not found:
        there = _listed({product for nodes in chosen.values() for node in nodes if (product := _product(node))})
        raise NotFoundError(f"No GPU product here is called {quoted(ask.product)}; there are: {there or 'none'}.")
    return found


def _like(wanted: str, value: str) -> bool:
    return wanted.casefold() in value.casefold()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names, key=natural)[:12])


def _pool(gpu_node: GpuNode, node: Node) -> str:
    machine = node.labels.get("node.kubernetes.io/instance-type", "")
    return gpu_node.pool or " on ".join(filter(None, (_product(node) or UNNAMED, machine)))


def _product(node: Node) -> str:
    return short(product_label(node.labels).removesuffix("-SHARED"))


def _pool_of(name: str, nodes: list[Node], images: Mapping[str, Mapping[str, str]]) -> Pool:
    nodes = sorted(nodes, key=lambda node: natural(node.name))
    told = {node.name: {**of_node(node), **images.get(node.name, {})} for node in nodes}
    return Pool(
        name=name,
        nodes=tuple(told),
        products=tuple(sorted({product for node in nodes if (product := _product(node))})),
        parts={part: _part(part, told) for part in PARTS},
        upgrading=tuple(node.name for node in nodes if upgrading(node)),
    )


def _part(name: str, told: Mapping[str, Mapping[str, str]]) -> Part:
    values: dict[str, list[str]] = {}
    for node, parts in told.items():
        if value := parts.get(name, ""):
            values.setdefault(value, []).append(node)
    order = sorted(values, key=lambda value: (-len(values[value]), natural(value)))
    clear = len(order) == 1 or (len(order) > 1 and len(values[order[0]]) > len(values[order[1]]))
    return Part(
        name=name,
        values={value: tuple(values[value]) for value in order},
        untold=tuple(node for node, parts in told.items() if not parts.get(name)),
        usual=order[0] if clear else "",
    )


def of_node(node: Node) -> dict[str, str]:
    """What its labels and its kubelet tell; parts that nobody tells are left out or empty."""
    labels = node.labels
    return {
        DRIVER: labels.get("nvidia.com/cuda.driver-version.full", "")
        or _dotted(labels, "nvidia.com/cuda.driver.", ("major", "minor", "rev"))
        or labels.get("gpu.coreweave.cloud/driver-version", ""),
        "CUDA": labels.get("nvidia.com/cuda.runtime-version.full", "")
        or _dotted(labels, "nvidia.com/cuda.runtime.", ("major", "minor")),
        "kubelet": node.kubelet_version,
        "runtime": node.runtime_version.replace("://", " "),
        "kernel": node.kernel_version or labels.get(f"{_NFD}kernel-version.full", ""),
        "OS": node.os_image or " ".join(filter(None, _nfd_os(labels))),
    }


def _dotted(labels: Mapping[str, str], prefix: str, keys: tuple[str, ...]) -> str:
    return ".".join(value for key in keys if (value := labels.get(prefix + key, "")))


def _nfd_os(labels: Mapping[str, str]) -> Iterator[str]:
    yield from (labels.get(f"{_NFD}system-os_release.{key}", "") for key in ("ID", "VERSION_ID"))


def of_stack(pod: Pod) -> bool:
    """Whether the version of its image is told. Most pods of a fleet are told apart by their owner alone."""
    return (pod.owner is None or pod.owner.kind == "DaemonSet") and of_pod(pod) in _FROM_PODS


def images(view: View) -> dict[str, dict[str, str]]:
    """Node → part → tag of the image that runs there; of two pods the newer one."""
    found: dict[str, dict[str, str]] = {}
    for pod in sorted(view.pods_that(of_stack), key=lambda one: one.created):
        link = of_pod(pod)
        tag = next((tag for one in pod.containers if not one.init and (tag := image_tag(one.image))), "")
        if link is not None and tag and pod.occupies:
            found.setdefault(pod.node, {})[_FROM_PODS[link]] = tag
    return found
