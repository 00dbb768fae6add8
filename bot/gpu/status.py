"""How the GPUs of a cluster stand: the question behind `/gpu status`, as data.

Pure: an inventory and a question in, sums and a cause out. Nothing here looks at a single pod; all sums come from the
inventory's groups.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.errors import NotFoundError
from bot.domain.source import Source
from bot.domain.time import seconds_since
from bot.gpu.held import Held
from bot.gpu.holders import SPLITS
from bot.gpu.inventory import Inventory
from bot.gpu.kind import Form, Kind
from bot.gpu.row import GpuNode
from bot.gpu.totals import Totals

NEEDED = ("nodes", "pods")  # without these the question has no answer
JOINING_SECONDS = 900  # driver, toolkit and plugin of a new node are usually up within a quarter of an hour
HELPFUL = ("namespaces", "replicasets", "jobs", "resourceslices", "resourceclaims")


@dataclass(frozen=True, slots=True)
class Ask:
    """Which GPUs, and by whom to split what is held. Texts match without regard to case."""

    product: str = ""
    pool: str = ""
    namespace: str = ""
    by: str = ""  # team, namespace, owner or node


@dataclass(frozen=True, slots=True)
class KindStatus:
    """The sums of one kind over all matching pools, and pool by pool."""

    kind: Kind
    totals: Totals
    pools: dict[str, Totals]


@dataclass(frozen=True, slots=True)
class Status:
    """The answer as data. `holders` maps who → kind → amount, largest first; `others` is what all others hold."""

    ask: Ask
    cause: str
    kinds: list[KindStatus]
    held: dict[Kind, int]
    holders: list[tuple[str, dict[Kind, int]]]
    others: tuple[int, dict[Kind, int]]  # how many, and what they hold together
    nodes: int  # nodes in the cluster, with and without GPUs
    gpu_nodes: int
    silent: list[GpuNode] = field(default_factory=list)
    joining: list[GpuNode] = field(default_factory=list)  # silent too, but so young that it may be on its way
    noted: list[GpuNode] = field(default_factory=list)
    nodes_known: bool = True
    pods_known: bool = True
    missing: list[Source] = field(default_factory=list)


def status(inventory: Inventory, ask: Ask, now: datetime) -> Status:
    """Raises NotFoundError where a product, pool or namespace matches nothing, naming those that exist."""
    inventory.refresh()
    view = inventory.view
    kinds = _kinds(inventory, ask)
    held = _held(kinds, ask)
    told = held.largest()
    whole = not (ask.product or ask.pool or ask.namespace)
    silent = inventory.silent() if whole else []
    joining = [node for node in silent if _young(node, now)]
    in_play = set() if whole else {node for kind in kinds for node in inventory.nodes_of(kind.kind, kind.pools)}
    return Status(
        ask=ask,
        cause=_cause(kinds, nodes_known=view.knows("nodes"), pods_known=view.knows("pods")),
        kinds=kinds,
        held=held.amounts,
        holders=told,
        others=(len(held.all) - len(told), held.rest(told)),
        nodes=len(view.nodes),
        gpu_nodes=len(inventory.nodes),
        silent=[node for node in silent if node not in joining],
        joining=joining,
        noted=[node for node in inventory.noted() if whole or node.name in in_play],
        nodes_known=view.knows("nodes"),
        pods_known=view.knows("pods"),
        missing=[source for name in (*NEEDED, *HELPFUL) if not (source := view.source(name)).known],
    )


def _young(node: GpuNode, now: datetime) -> bool:
    age_seconds = seconds_since(node.created, now)
    return age_seconds is not None and age_seconds < JOINING_SECONDS


def _kinds(inventory: Inventory, ask: Ask) -> list[KindStatus]:
    groups = list(inventory.totals())
    chosen = [
        (key, totals) for key, totals in groups if _like(ask.product, key.kind.title) and _like(ask.pool, key.pool)
    ]
    if groups and not chosen:
        _nothing_matches(
            ask, sorted({key.kind.title for key, _ in groups}), sorted({key.pool for key, _ in groups} - {""})
        )
    merged: dict[Kind, KindStatus] = {}
    for key, totals in chosen:
        entry = merged.setdefault(key.kind, KindStatus(key.kind, Totals(), {}))
        entry.totals.add(totals)
        entry.pools[key.pool] = totals
    return sorted(merged.values(), key=_importance)


def _importance(entry: KindStatus) -> tuple[bool, int, str]:
    return entry.kind.form not in (Form.WHOLE, Form.DEVICE), -entry.totals.sums["total"], entry.kind.title


def _like(wanted: str, value: str) -> bool:
    return wanted.casefold() in value.casefold()


def _nothing_matches(ask: Ask, products: list[str], pools: list[str]) -> None:
    if ask.product and not any(_like(ask.product, product) for product in products):
        raise NotFoundError(f"No GPU product here is called {ask.product!r}; there are: {', '.join(products)}.")
    if ask.pool and not any(_like(ask.pool, pool) for pool in pools):
        there = f"there are: {', '.join(pools)}" if pools else "no node carries a pool label (setting gpu.pool_labels)"
        raise NotFoundError(f"No node pool here is called {ask.pool!r}; {there}.")
    raise NotFoundError(f"No {ask.product} GPU is in a pool called {ask.pool!r}.")


def _held(kinds: list[KindStatus], ask: Ask) -> Held:
    split = ask.by if ask.by in SPLITS else ("owner" if ask.namespace else "namespace")
    found = Held()
    namespaces: set[str] = set()
    for entry in kinds:
        for totals in entry.pools.values():
            holders = totals.holders[split]
            namespaces.update(holders)
            for name in [ask.namespace] if ask.namespace else holders:
                found.add(entry.kind, holders.get(name, {}))
    if ask.namespace and not found.all and ask.namespace not in namespaces:
        raise NotFoundError(_no_namespace(ask.namespace, sorted(namespaces)))
    return found


def _no_namespace(name: str, there: list[str]) -> str:
    holding = f"These do: {', '.join(there[:12])}." if there else "No namespace does."
    return f"Namespace {name!r} holds none of these GPUs. {holding}"


def _cause(kinds: list[KindStatus], *, nodes_known: bool, pods_known: bool) -> str:
    if not nodes_known:
        return "gpu.unknown.nodes"
    if not pods_known:
        return "gpu.unknown.pods"
    sums = Counter[str]()
    for entry in kinds:
        sums.update(entry.totals.sums)
    if not sums["total"]:
        return "gpu.none"
    return "gpu.free" if sums["free"] else "gpu.full"
