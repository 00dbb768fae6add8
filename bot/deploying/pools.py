"""The GPUs of a cluster as a model can use them, whole cards of one product in one pool; and others, and why not."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.deploying.candidate import Pool, Rejected
from bot.deploying.chips import chip, plain
from bot.deploying.labels import DRIVER_MAJOR, Says, says_of
from bot.domain.node import Node
from bot.domain.pattern import Pattern
from bot.domain.text import natural
from bot.domain.view import View
from bot.domain.words import count, names
from bot.gpu.inventory import Inventory
from bot.gpu.kind import PRODUCT_LABELS, Form, Kind, product_label
from bot.gpu.row import GpuNode, Row

_RDMA_RESOURCE = Pattern(r"(?i)rdma|hca|(?:^|/)efa|infiniband|roce")
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
    rejected += _silent(inventory, only)
    return Pools(tuple(good), tuple(rejected), tuple(_unread(view)))


def _silent(inventory: Inventory, only: str) -> Iterator[Rejected]:
    """Nodes that carry the label of a product and offer nothing of it."""
    products: dict[str, list[str]] = defaultdict(list)
    for node in inventory.silent():
        if only.casefold() in node.pool.casefold() and (one := inventory.view.nodes.get(node.name)) is not None:
            products[plain(product_label(one.labels))].append(node.name)
    for product, found in products.items():
        told = f"{names(found, _NAMED)} {_LABELLED[len(found) > 1]}"
        yield Rejected(product or "GPUs", told, _PREFLIGHT)


_LABELLED = {False: "is labelled so and offers none", True: "are labelled so and offer none"}
_PREFLIGHT = "See why: `/gpu preflight`"


def _unread(view: View) -> Iterator[str]:
    for kind in ("nodes", "pods"):
        if not view.knows(kind):
            source = view.source(kind)
            yield f"{kind} could not be read ({source.detail or source.reading}): what is free is not known"


def _pool(view: View, inventory: Inventory, kind: Kind, name: str, found: list[tuple[GpuNode, Row]]) -> Pool | Rejected:
    what = f"{kind.title} of pool {name}" if name else kind.title
    if kind.form is not Form.WHOLE:
        return Rejected(what, *_cut(kind))
    places = view.places()
    found = sorted(found, key=lambda one: places.get(one[0].name, 0))
    mixed = {node.name for node, _ in found if len(node.rows) > 1}
    nodes = [view.nodes[node.name] for node, _ in found if node.name not in mixed]
    rows = [row for node, row in found if node.name not in mixed]
    if not nodes:
        return Rejected(what, *_offered_twice(names(sorted(mixed, key=natural), _NAMED), found))
    each = view.each_node(says_of)
    says = [each[node.name] for node in nodes]
    known = chip(
        next(iter(says[0].products.values()), kind.product),
        min((one.memory_mib for one in says if one.memory_mib is not None), default=None),
        min((one.capability for one in says if one.capability is not None), default=None),
    )
    if known is None:
        return Rejected(what, "neither its nodes' labels nor the table of products tell its memory", _FEATURES)
    largest = max(row.allocatable for row in rows)
    if not largest:
        lost = count(len(rows), "node")
        return Rejected(what, f"{lost} of it offer no GPU now", _PREFLIGHT)
    label = _label(says)
    pool_label = next((key for key in inventory.policy.pool_labels if nodes[0].labels.get(key)), "") if name else ""
    return Pool(
        product=kind.product,
        name=name,
        memory_mib=known.memory_mib,
        capability=known.capability,
        gpus_per_node=largest,
        nodes=tuple(node.name for node in nodes),
        label=label,
        labels=tuple(sorted({one.products[label] for one in says if label in one.products})),
        pool_label=pool_label,
        nvlink=known.nvlink,
        free=tuple(row.free for row in rows),
        drivers=tuple(one.driver for one in says),
        driver=min({one.driver for one in says if one.driver is not None}, default=None),
        driver_label=next((key for key in DRIVER_MAJOR if all(key in one.driver_majors for one in says)), ""),
        resource=rows[0].resource,
        rdma_resource=_rdma_resource(nodes),
        rdma_label=_rdma_label(says),
        taints=_usual_taints(nodes, inventory),
        cpu_millis=max((node.allocatable.get("cpu", 0) for node in nodes), default=0),
        memory_bytes=max((node.allocatable.get("memory", 0) for node in nodes), default=0),
    )


_PLUGIN = "Use a pool with a device plugin alone"
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
        _PLUGIN,
    )


def _offered_twice(cut: str, found: Iterable[tuple[GpuNode, Row]]) -> tuple[str, str]:
    forms = {row.kind.form for node, _ in found for row in node.rows}
    if forms <= {Form.WHOLE, Form.DEVICE}:
        return f"{cut} also offers its GPUs by resource claims (DRA), so which are free is not sure", _PLUGIN
    return f"{cut} also offers parts of its GPUs, so which are whole is not sure", _WHOLE


def _label(says: Iterable[Says]) -> str:
    """By which the pods find them: the first that any of them carries."""
    carried = {key for one in says for key in one.products}
    return next((key for key in PRODUCT_LABELS if key in carried), "")


def _rdma_resource(nodes: list[Node]) -> str:
    """One that every node of it offers."""
    first = [key for key, amount in nodes[0].allocatable.items() if amount and _RDMA_RESOURCE.search(key)]
    return min((key for key in first if all(node.allocatable.get(key) for node in nodes)), default="")


def _rdma_label(says: Iterable[Says]) -> bool | None:
    told = [yes for one in says for yes in one.rdma]
    return all(told) if told else None


def _usual_taints(nodes: Iterable[Node], inventory: Inventory) -> tuple[str, ...]:
    """Those that keep pods without GPUs away; whoever is kept away by another is meant to be."""
    usual = inventory.policy.usual_taints
    keys = {one.key for node in nodes for one in node.taints if one.blocks and one.key in usual}
    return tuple(sorted(keys or {"nvidia.com/gpu"}))
