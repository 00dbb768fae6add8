"""`fits 8 gpus product=H200 count=3`: whether pods that do not exist yet would be placed, one after the other."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.errors import NotFoundError, UpstreamError, UsageError
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec, Toleration
from bot.domain.text import natural
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.kind import UNNAMED, Kind
from bot.gpu.row import GpuNode, State
from bot.grammar import quoted
from bot.scheduling.state import State as Snapshot
from bot.why.change import World

MOST = 256
RESOURCE = "nvidia.com/gpu"


@dataclass(frozen=True, slots=True)
class Fitting:
    """`placed` names a node for each pod that fits, in the order in which they would be placed. `title`: which GPUs, as
    people call them; empty where no label says so.

    `free`: what is left on open nodes of that kind now, by node; `away`: nodes with room that are kept from ordinary
    pods, with the reason.
    """

    gpus: int
    count: int
    title: str
    placed: tuple[str, ...]
    free: Mapping[str, int]
    away: Mapping[str, str]
    largest: int

    @property
    def fits(self) -> bool:
        return len(self.placed) >= self.count


def fitting(view: View, inventory: Inventory, gpus: int, options: Mapping[str, str]) -> Fitting:
    """Raises UsageError, NotFoundError for a product that is not there, UpstreamError where too little is known."""
    for kind in ("nodes", "pods"):
        if not view.knows(kind):
            source = view.source(kind)
            raise UpstreamError(
                f"Whether it fits cannot be told: {kind} could not be read ({source.detail or source.reading}).",
                retryable=True,
            )
    count = _count(options.get("count", "1"))
    inventory.refresh()
    offered = _offered(inventory, options.get("product", ""))
    resource = Counter(resource for _, resource in offered.values()).most_common(1)[0][0]
    nodes = [name for name, (_, on) in offered.items() if on == resource]
    pod = _pod(gpus, resource, inventory)
    placed = _place(pod, view, nodes, count)
    rows = {row_node: row for row_node in nodes for row in inventory.nodes[row_node].rows if row.resource == resource}
    free = {name: row.free for name, row in rows.items()}
    away = {
        name: f"{spare} free, {_kept(inventory.nodes[name])}"
        for name, row in rows.items()
        if (spare := row.reserved + row.cordoned + row.not_ready) >= gpus
    }
    titles = sorted({kind.title for kind, on in offered.values() if on == resource and kind.product != UNNAMED})
    return Fitting(gpus, count, " or ".join(titles[:3]), placed, free, away, max(free.values(), default=0))


def _kept(node: GpuNode) -> str:
    """Why an ordinary pod does not come to it."""
    if node.state is State.RESERVED:
        return f"taint `{node.why}`"
    if node.why.startswith("by "):
        return f"{node.state} {node.why}"
    return f"{node.state}: {node.why}" if node.why else str(node.state)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 5 and 0 < int(text) <= MOST):
        raise UsageError(
            f"`count` is a number from 1 to {MOST}, for example `/why fits 8 gpus count=3`; not {quoted(text)}."
        )
    return int(text)


def _offered(inventory: Inventory, product: str) -> dict[str, tuple[Kind, str]]:
    """Node → kind and resource of its GPUs, of products whose name contains `product`."""
    found: dict[str, tuple[Kind, str]] = {}
    for name in sorted(inventory.nodes, key=natural):
        for row in inventory.nodes[name].rows:
            if "/" in row.resource and row.capacity and product.casefold() in row.kind.title.casefold():
                found.setdefault(name, (row.kind, row.resource))
    if not found:
        known = sorted({row.kind.title for node in inventory.nodes.values() for row in node.rows})
        there = f"there are: {', '.join(known[:8])}" if known else "no node offers any GPU"
        raise NotFoundError(
            f"No GPU here is a {quoted(product)}; {there}."
            if product
            else "No node here offers any GPU; `/gpu status` says more."
        )
    return found


def _pod(gpus: int, resource: str, inventory: Inventory) -> Pod:
    """An ordinary GPU pod: it tolerates what GPU pods usually tolerate, and asks for nothing but GPUs."""
    tolerations = tuple(Toleration(key, "Exists") for key in sorted(inventory.policy.usual_taints))
    spec = PodSpec(tolerations=tolerations)
    return Pod(name="to-come", namespace="default", phase="Pending", requests={resource: gpus}, spec=spec)


def _place(pod: Pod, view: View, nodes: list[str], count: int) -> tuple[str, ...]:
    """Each on the node that is left with least, so that large blocks stay whole."""
    state = Snapshot(view)
    placed: list[str] = []
    for index in range(count):
        fits = World(pod, state).fits(nodes)
        if not fits:
            break
        resource = next(iter(pod.requests))
        info = state.info
        best = min(
            fits,
            key=lambda name: (
                info(name).node.allocatable.get(resource, 0) - info(name).requested.get(resource, 0),
                name,
            ),
        )
        placed.append(best)
        state = state.with_pod(_named(pod, index), best)
    return tuple(placed)


def _named(pod: Pod, index: int) -> Pod:
    return Pod(
        name=f"{pod.name}-{index}", namespace=pod.namespace, phase="Running", requests=pod.requests, spec=pod.spec
    )
