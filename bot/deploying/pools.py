"""The GPUs of a cluster as a model can use them, whole cards of one product in one pool; and others, and why not."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.deploying.candidate import Pool, Rejected
from bot.deploying.chips import chip
from bot.domain.node import Node
from bot.domain.pattern import Pattern
from bot.domain.text import natural
from bot.domain.version import Version, version
from bot.domain.view import View
from bot.domain.words import count, names
from bot.gpu.inventory import Inventory
from bot.gpu.kind import PRODUCT_LABELS, Form, Kind
from bot.gpu.row import GpuNode, Row, State
from bot.gpu.versions import DRIVER, of_node

_RDMA_RESOURCE = Pattern(r"(?i)rdma|hca|(?:^|/)efa|infiniband|roce")
_RDMA_LABELS = ("feature.node.kubernetes.io/rdma.available", "feature.node.kubernetes.io/rdma.capable")
_DRIVER_LABEL = "nvidia.com/cuda.driver-version.full"
_MEMORY, _MAJOR, _MINOR = "nvidia.com/gpu.memory", "nvidia.com/gpu.compute.major", "nvidia.com/gpu.compute.minor"
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Pools:
    """`good` can be used. `rejected` cannot, by kind. unknown: what could not be read."""

    good: tuple[Pool, ...]
    rejected: tuple[Rejected, ...]
    unknown: tuple[str, ...] = ()


def pools(view: View, inventory: Inventory, only: str = "") -> Pools:
    """The largest GPUs first. A node that is kept for others, cordoned or not ready counts; the scheduler decides.

    only: node pools whose name has that in it; pods are kept to them then. Else a product is one pool.
    """
    inventory.refresh()
    grouped: dict[tuple[Kind, str], list[tuple[GpuNode, Row]]] = defaultdict(list)
    for node in inventory.nodes.values():
        if only.casefold() not in node.pool.casefold():
            continue
        for row in node.rows:
            grouped[row.kind, node.pool if only else ""].append((node, row))
    good: list[Pool] = []
    rejected: list[Rejected] = []
    for (kind, name), found in sorted(grouped.items(), key=lambda one: (natural(one[0][0].title), one[0][1])):
        made = _pool(view, inventory, kind, name, found)
        (good if isinstance(made, Pool) else rejected).append(made)  # type: ignore[arg-type]
    good.sort(key=lambda one: (-one.memory_mib, -one.gpus_per_node, one.name))
    return Pools(tuple(good), tuple(rejected), tuple(_unread(view)))


def _unread(view: View) -> Iterator[str]:
    for kind in ("nodes", "pods"):
        if not view.knows(kind):
            source = view.source(kind)
            yield f"{kind} could not be read ({source.detail or source.reading}): what is free is not known"


def _pool(view: View, inventory: Inventory, kind: Kind, name: str, found: list[tuple[GpuNode, Row]]) -> Pool | Rejected:
    what = f"{kind.title} of pool {name}" if name else kind.title
    if kind.form is not Form.WHOLE:
        return Rejected(what, *_cut(kind))
    nodes = [view.nodes[node.name] for node, _ in found if node.name in view.nodes]
    mixed = {node.name for node, _ in found if len(node.rows) > 1}
    rows = [row for node, row in found if node.name not in mixed]
    if not rows:
        cut = names(sorted(mixed, key=natural), _NAMED)
        return Rejected(what, f"{cut} also offers parts of its GPUs, so which are whole is not sure", _WHOLE)
    known = chip(_product(nodes[0]) or kind.product, _memory(nodes), _capability(nodes))
    if known is None:
        return Rejected(what, "neither its nodes' labels nor the table of products tell its memory", _FEATURES)
    largest = max(row.allocatable for row in rows)
    if not largest:
        lost = count(len(rows), "node")
        return Rejected(what, f"{lost} of it offer no GPU now", "See why: `/gpu preflight`")
    label = _label(nodes)
    pool_label = next((key for key in inventory.policy.pool_labels if nodes[0].labels.get(key)), "") if name else ""
    return Pool(
        product=kind.product,
        name=name,
        memory_mib=known.memory_mib,
        capability=known.capability,
        gpus_per_node=largest,
        nodes=tuple(node.name for node, _ in found if node.name not in mixed),
        label=label,
        labels=tuple(sorted({value for node in nodes if (value := node.labels.get(label, ""))})),
        pool_label=pool_label,
        nvlink=known.nvlink,
        driver=_oldest_driver(nodes),
        resource=rows[0].resource,
        rdma_resource=_rdma_resource(nodes),
        rdma_label=_rdma_label(nodes),
        taints=_usual_taints(nodes, inventory),
        cpu_millis=max((node.allocatable.get("cpu", 0) for node in nodes), default=0),
        memory_bytes=max((node.allocatable.get("memory", 0) for node in nodes), default=0),
    )


_WHOLE = "Switch its MIG or sharing off for all GPUs of a node, or use another pool"
_FEATURES = "Let GPU feature discovery label its nodes (`nvidia.com/gpu.memory`, `nvidia.com/gpu.compute.major`)"


def _cut(kind: Kind) -> tuple[str, str]:
    """Why parts of GPUs do not do, and what would."""
    match kind.form:
        case Form.MIG | Form.DEVICE_MIG:
            return "MIG slices have no NVLink between them and little memory each", _WHOLE
        case Form.SHARED:
            return "GPUs that are shared by time hold others' memory too, so a plan of it cannot be kept", _WHOLE
    return (
        "GPUs that are handed out by resource claims (DRA) are not planned for yet",
        "Use a pool with a device plugin",
    )


def _product(node: Node) -> str:
    return next((value for key in PRODUCT_LABELS if (value := node.labels.get(key))), "")


def _label(nodes: Iterable[Node]) -> str:
    """By which the pods find them: the first that any of them carries."""
    carried = {key for node in nodes for key in PRODUCT_LABELS if node.labels.get(key)}
    return next((key for key in PRODUCT_LABELS if key in carried), "")


def _memory(nodes: Iterable[Node]) -> int | None:
    texts = {node.labels.get(_MEMORY, "") for node in nodes}
    return min((int(text) for text in texts if text.isdigit() and len(text) < 9), default=None)


def _capability(nodes: Iterable[Node]) -> tuple[int, int] | None:
    pairs = {(node.labels.get(_MAJOR, ""), node.labels.get(_MINOR, "")) for node in nodes}
    told = [(int(major), int(minor)) for major, minor in pairs if major.isdigit() and minor.isdigit()]
    return min(told, default=None)


def _oldest_driver(nodes: Iterable[Node]) -> Version | None:
    """By the label that nearly all nodes have, else by the older ones."""
    texts = {node.labels.get(_DRIVER_LABEL) or of_node(node)[DRIVER] for node in nodes}
    return min((found for text in texts if (found := version(text)) is not None), default=None)


def _rdma_resource(nodes: list[Node]) -> str:
    """One that every node of it offers."""
    first = [key for key, amount in nodes[0].allocatable.items() if amount and _RDMA_RESOURCE.search(key)]
    return min((key for key in first if all(node.allocatable.get(key) for node in nodes)), default="")


def _rdma_label(nodes: Iterable[Node]) -> bool | None:
    told = [node.labels[key] == "true" for node in nodes for key in _RDMA_LABELS if key in node.labels]
    return all(told) if told else None


def _usual_taints(nodes: Iterable[Node], inventory: Inventory) -> tuple[str, ...]:
    """Those that keep pods without GPUs away; whoever is kept away by another is meant to be."""
    usual = inventory.policy.usual_taints
    keys = {one.key for node in nodes for one in node.taints if one.blocks and one.key in usual}
    return tuple(sorted(keys or {"nvidia.com/gpu"}))


def open_nodes(pool: Pool, inventory: Inventory) -> int:
    """How many of it take ordinary pods."""
    return sum(1 for name in pool.nodes if inventory.nodes[name].state is State.OPEN)
