"""The first line of `/gpu status`: enough for somebody on a phone at night."""

from collections.abc import Sequence

from bot.domain.view import View
from bot.domain.words import count, names
from bot.gpu.status import KindStatus, Status

KINDS_SHOWN = 3


def sentence(status: Status, view: View) -> str:
    """One line: what is free and how much of it together, then what is missing."""
    if not status.nodes_known:
        source = view.source("nodes")
        return (
            f"How many GPUs there are cannot be told: the nodes could not be read ({source.detail or source.reading})."
        )
    if not status.kinds:
        return _none(status)
    said = [_kind(entry, status) for entry in status.kinds[:KINDS_SHOWN]]
    if not status.pods_known:
        source = view.source("pods")
        said.append(f"How many are free cannot be told: pods could not be read ({source.detail or source.reading}).")
    if len(status.kinds) > KINDS_SHOWN:
        said.append(f"{count(len(status.kinds) - KINDS_SHOWN, 'more kind')} below.")
    return " ".join([*said, *_missing(status)])


def _none(status: Status) -> str:
    if status.silent:
        silent = names([node.name for node in status.silent])
        return (
            f"No GPU can be used: {silent} {_verb(status.silent, 'carr', 'ies', 'y')} a GPU label but no GPU resource."
        )
    nodes = count(status.nodes, "node")
    return f"There is no GPU in this cluster: none of its {nodes} offers a GPU resource or carries a GPU label."


def _kind(entry: KindStatus, status: Status) -> str:
    sums, title = entry.totals.sums, entry.kind.title
    total, free = sums["total"], sums["free"]
    if status.ask.namespace:
        held = status.held.get(entry.kind, 0)
        return f"{title}: {status.ask.namespace} holds {held:,} of {total:,}."
    if not status.pods_known:
        nodes = count(entry.totals.nodes, "node")
        return f"{title}: {count(total, entry.kind.unit)} on {nodes}."
    if not free:
        return f"{title}: none of {total:,} free."
    if entry.totals.largest == free:
        return f"{title}: {free:,} of {total:,} free, all on {entry.totals.largest_on}."
    return (
        f"{title}: {free:,} of {total:,} free, at most {entry.totals.largest} together (on {entry.totals.largest_on})."
    )


def _missing(status: Status) -> list[str]:
    lost: dict[str, int] = {}
    for entry in status.kinds:
        for node, row in entry.totals.lost.items():
            lost[node] = lost.get(node, 0) + row.lost
    said = [f"{count(sum(lost.values()), 'GPU')} lost ({names(sorted(lost))})."] if lost else []
    silent = [node.name for node in status.silent if node.name not in lost]
    if silent:
        their = "its" if len(silent) == 1 else "their"
        said.append(f"{names(silent)} {_verb(silent, 'offer', 's', '')} none of {their} GPUs.")
    return said


def _verb(things: Sequence[object], stem: str, one: str, many: str) -> str:
    return stem + (one if len(things) == 1 else many)
