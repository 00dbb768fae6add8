"""How `/gpu versions` looks: who is not like the pool and which drivers are out of support, then pool by pool."""

from collections.abc import Iterator
from datetime import date, datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Document, Part, line, sentence
from bot.domain.node_past import FleetPast
from bot.domain.text import inert
from bot.domain.view import View
from bot.domain.words import count, names
from bot.gpu.versions import DRIVER, PARTS, Pool
from bot.gpu.versions import Part as VersionPart
from bot.serving.matrix import matrix
from bot.views import gpu_driver, gpu_past, sources
from bot.views.shortened import shortened

NEEDED = ("nodes", "pods")
POOLS_SHOWN, ODD_SHOWN, NODES_COUNTED, CHANGES_SHOWN = 8, 4, 50, 6
_LINES = (("driver", "CUDA"), ("toolkit", "plugin"), ("kubelet", "runtime", "kernel", "OS"))
_PLAIN = ("runtime", "OS")  # their values say themselves what they are


def show(pools: list[Pool], view: View, now: datetime, past: FleetPast | None = None) -> Reply:
    """Raises nothing: every state of the data has words."""
    today = now.date()
    nodes = [node for pool in pools for node in pool.nodes]
    back = gpu_past.backs(past, nodes, now)
    ident, verdict = _verdict(pools, view, today, back)
    order = sorted(pools, key=lambda pool: not (pool.odd or pool.divided or _dead(pool, today)))
    parts: list[Part] = [_pool(pool, today) for pool in order[:POOLS_SHOWN]]
    before = gpu_past.changes(past, nodes, now)
    if before:
        parts.insert(0, Bullets("Before", tuple(line(text) for text in before[:CHANGES_SHOWN])))
    if len(pools) > POOLS_SHOWN:
        parts.append(
            Bullets("", (line(f"and {count(len(pools) - POOLS_SHOWN, 'more pool')}: narrow them with pool="),))
        )
    missing = sources.not_read([source for kind in NEEDED if not (source := view.source(kind)).known])
    missing += [past.trouble] if past is not None and past.trouble else []
    if missing:
        parts.append(Bullets("Could not be seen", tuple(line(text) for text in missing)))
    answer = Answer(
        cause=Cause(ident, inert(verdict, 1000)),
        as_of=view.oldest(*NEEDED),
        evidence=(*back, *(text for pool in order for text in _differences(pool)), *before)[:40],
        unknown=tuple(missing),
        sources=tuple(sources.lines(view, now, NEEDED)),
        numbers={pool.name: _numbers(pool, today) for pool in pools},
        told=view.knows("nodes"),
    )
    nodes_read = count(sum(len(pool.nodes) for pool in pools), "GPU node")
    coverage = f"{nodes_read} · tables of drivers as of {matrix().as_of}"
    footer = sources.footer(view, now, NEEDED, coverage=coverage)
    return Reply(answer, shortened(Document(sentence(verdict), tuple(parts), footer)))


def _verdict(pools: list[Pool], view: View, today: date, back: list[str]) -> tuple[str, str]:
    source = view.source("nodes")
    if not source.known:
        return "versions.unknown", f"Nodes could not be read ({source.detail or source.reading})."
    if not pools:
        return "versions.none", "There is no GPU node in this cluster."
    said = list(_odd_ones(pools))
    ident = "versions.odd" if said else "versions.alike"
    if not said:
        nodes = sum(len(pool.nodes) for pool in pools)
        said.append(
            "There is one GPU node, and nothing to compare it with." if nodes == 1 else _alike(nodes, len(pools))
        )
    dead = [*_unsupported(pools, today), *_untold(pools)]
    if any(_dead(pool, today) for pool in pools) and ident == "versions.alike":
        ident = "versions.unsupported"
    ident = "versions.stepped_back" if back else ident
    return ident, " ".join([*(f"{text}." for text in back[:ODD_SHOWN]), *said, *dead])


def _alike(nodes: int, pools: int) -> str:
    return f"All {nodes:,} GPU nodes run what their {'pool runs' if pools == 1 else 'pools run'}."


def _odd_ones(pools: list[Pool]) -> Iterator[str]:
    odd = {node: parts for pool in pools for node, parts in pool.odd.items()}
    if odd:
        told = [f"{node} ({_what(parts)})" for node, parts in list(odd.items())[:ODD_SHOWN]]
        is_are = "GPU node is not like its pool" if len(odd) == 1 else "GPU nodes are not like their pools"
        yield f"{len(odd):,} {is_are}: {names(told, ODD_SHOWN, len(odd))}."
    for pool in pools:
        if divided := pool.divided:
            yield f"{pool.name} is divided: {names([part.name for part in divided])}."


def _what(parts: list[VersionPart]) -> str:
    return names([part.name for part in parts], 3)


def _unsupported(pools: list[Pool], today: date) -> Iterator[str]:
    """By the driver's branch: how many nodes run one that nobody mends any more."""
    by_branch: dict[tuple[str, str], int] = {}
    for pool in pools:
        for driver, nodes in _dead(pool, today).items():
            key = (driver.partition(".")[0], gpu_driver.supported(driver, today))
            by_branch[key] = by_branch.get(key, 0) + len(nodes)
    for (branch, since), nodes_on in sorted(by_branch.items()):
        yield f"Driver branch {branch} is {since} ({count(nodes_on, 'node')})."


def _untold(pools: list[Pool]) -> Iterator[str]:
    nodes = [node for pool in pools for node in pool.parts[DRIVER].untold]
    if nodes:
        yield f"Nobody tells the driver of {names(nodes, ODD_SHOWN)}."


def _dead(pool: Pool, today: date) -> dict[str, tuple[str, ...]]:
    values = pool.parts[DRIVER].values
    return {driver: nodes for driver, nodes in values.items() if gpu_driver.out_of_support(driver, today)}


# ---- a pool --------------------------------------------------------------------------------------------------------


def _pool(pool: Pool, today: date) -> Bullets:
    title = f"{pool.name} · {count(len(pool.nodes), 'node')}"
    other = [product for product in pool.products if product.casefold() not in pool.name.casefold()]
    lines = [line(text) for group in _LINES if (text := _usual(pool, group))]
    lines += [line(text) for text in _drivers(pool, today)]
    lines += [line(text) for text in _differences(pool)]
    if pool.upgrading:
        lines.append(line(f"a driver upgrade is under way or has failed on {names(pool.upgrading, ODD_SHOWN)}"))
    return Bullets(f"{title}{f' · {names(other)}' if other else ''}", tuple(lines))


def _usual(pool: Pool, group: tuple[str, ...]) -> str:
    """What most of its nodes run; what nobody told is said."""
    told = []
    for name in group:
        part = pool.parts[name]
        value = part.usual or ("" if part.divided else "not told")
        if value:
            told.append(inert(value, 60) if name in _PLAIN and part.usual else f"{name} {inert(value, 60)}")
    return " · ".join(told)


def _drivers(pool: Pool, today: date) -> Iterator[str]:
    """Of each branch there: how long it is supported, what starts on it."""
    seen: dict[str, None] = {}
    for driver in pool.parts[DRIVER].values:
        branch = driver.partition(".")[0]
        told = ", ".join(filter(None, (gpu_driver.supported(driver, today), gpu_driver.starts(driver, _product(pool)))))
        if told:
            seen.setdefault(f"branch {inert(branch, 20)}: {told}")
    yield from list(seen)[:ODD_SHOWN]


def _product(pool: Pool) -> str:
    """Empty where its nodes have different ones."""
    return pool.products[0] if len(pool.products) == 1 else ""


def _differences(pool: Pool) -> Iterator[str]:
    for name in PARTS:
        part = pool.parts[name]
        if part.divided:
            yield f"{name}: {_split(part)}; no version has the majority"
        elif part.odd:
            by_value = [(value, nodes) for value, nodes in part.values.items() if value != part.usual]
            told = [f"{inert(value, 60)} on {names(nodes, ODD_SHOWN)}" for value, nodes in by_value[:ODD_SHOWN]]
            yield f"odd: {name} {'; '.join(told)} (the others {inert(part.usual, 60)})"
        if part.untold and part.values:
            yield f"{name} not told of {names(part.untold, ODD_SHOWN)}"


def _split(part: VersionPart) -> str:
    told = [
        f"{inert(value, 60)} on {names(nodes, ODD_SHOWN)}" for value, nodes in list(part.values.items())[:ODD_SHOWN]
    ]
    return "; ".join(told)


def _numbers(pool: Pool, today: date) -> dict[str, object]:
    """For scripts: part → value → how many nodes; odd nodes by name; drivers out of support."""
    parts = {name: {value: len(nodes) for value, nodes in pool.parts[name].values.items()} for name in PARTS}
    odd = {node: {part.name: part.odd[node] for part in found} for node, found in pool.odd.items()}
    return {
        "nodes": len(pool.nodes),
        **parts,
        "odd": dict(list(odd.items())[:NODES_COUNTED]),
        "images": {driver: gpu_driver.builds(driver, _product(pool)) for driver in pool.parts[DRIVER].values},
        "out_of_support": sorted(_dead(pool, today)),
    }
