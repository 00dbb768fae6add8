"""How `/gpu status` looks: the verdict, one table, what stands in the way, who holds, what could not be read."""

from datetime import datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause, HolderLine, Remedy
from bot.domain.document import Bullets, Code, Document, Line, Part, line, paragraph, table
from bot.domain.view import View
from bot.domain.words import count
from bot.gpu.status import HELPFUL, NEEDED, KindStatus, Status
from bot.gpu.totals import COLUMNS
from bot.views import gpu_nodes, gpu_table, gpu_verdict, sources

HOLDERS_SHOWN = 15
TROUBLES_SHOWN = 8
TROUBLES_BY_NODE = 30


def show(status: Status, view: View, now: datetime) -> Reply:
    """Raises nothing: every state of the data has words."""
    verdict = gpu_verdict.sentence(status, view)
    troubles = gpu_nodes.troubles(status)
    lines = _first(troubles, TROUBLES_BY_NODE if status.ask.by == "node" else TROUBLES_SHOWN)
    parts = _parts(status, lines)
    unknown = sources.not_read(status.missing)
    footer = sources.footer(view, now, NEEDED, coverage=_coverage(status))
    if unknown:
        parts.append(Bullets("Could not be seen", tuple(line(text) for text in unknown)))
    if _whole(status) and status.pods_known and status.holders:
        parts.append(
            paragraph(
                line(
                    "Who holds them: ", Code("/gpu status --by team"), ", node by node: ", Code("/gpu status --by node")
                )
            )
        )
    answer = Answer(
        cause=Cause(status.cause, verdict),
        as_of=view.oldest(*NEEDED),
        evidence=tuple(_plain(entry.line) for entry in troubles),
        holders=_holder_lines(status),
        remedies=tuple(Remedy(entry.action, entry.command) for entry in troubles if entry.command),
        unknown=tuple(unknown),
        sources=tuple(sources.lines(view, now, (*NEEDED, *HELPFUL))),
        numbers={entry.kind.title: _numbers(entry, status) for entry in status.kinds},
        told=status.nodes_known and status.pods_known,
    )
    return Reply(answer, Document((verdict,), tuple(parts), footer))


def _holder_lines(status: Status) -> tuple[HolderLine, ...]:
    """The largest by name, and all others together."""
    titles = {entry.kind: entry.kind.title for entry in status.kinds}
    others, together = status.others
    told = [*status.holders, *([(f"{others:,} more", together)] if others else [])]
    return tuple(HolderLine(who, {titles[kind]: amount for kind, amount in amounts.items()}) for who, amounts in told)


def _whole(status: Status) -> bool:
    """The plain question: everything at a glance. The others show what they ask for, so that it fits one screen."""
    return not status.ask.by and not status.ask.namespace


def _parts(status: Status, stands_out: tuple[Line, ...]) -> list[Part]:
    if not status.nodes_known:
        return []
    parts: list[Part] = []
    if status.kinds and _whole(status):
        parts += gpu_table.table_of(status)
        nodes = gpu_nodes.as_lines(status)
        parts += [Bullets("", nodes)] if nodes else []
    elif status.kinds and status.ask.by == "node" and not status.ask.namespace:
        parts.append(gpu_nodes.as_table(status))
    elif status.kinds and status.pods_known:
        return _holders(status)
    if stands_out:
        parts.append(Bullets("What stands out", stands_out))
    return parts


def _first(troubles: list[gpu_nodes.Trouble], shown: int) -> tuple[Line, ...]:
    lines = tuple(entry.line for entry in troubles[:shown])
    left = len(troubles) - shown
    return (*lines, line(f"and {left} more: ", Code("/gpu status --by node"))) if left > 0 else lines


def _holders(status: Status) -> list[Part]:
    if not status.holders:
        return [paragraph(line("Nobody holds any of them."))]
    kinds = [entry.kind for entry in status.kinds if status.held.get(entry.kind)]
    rows = [
        (who, *(amounts.get(kind, 0) or "–" for kind in kinds), *([sum(amounts.values())] if len(kinds) > 1 else []))
        for who, amounts in status.holders[:HOLDERS_SHOWN]
    ]
    columns = (_split_by(status), *(kind.title for kind in kinds), *(["all"] if len(kinds) > 1 else []))
    left = len(status.holders) + status.others[0] - len(rows)
    amount = sum(status.held.values()) - sum(sum(amounts.values()) for _, amounts in status.holders[:HOLDERS_SHOWN])
    more = f"and {left:,} more, who hold {amount:,}" if left else ""
    return [table(columns, rows, numeric=range(1, len(columns)), more=more)]


def _split_by(status: Status) -> str:
    return status.ask.by if status.ask.by not in ("", "node") else "owner"


def _coverage(status: Status) -> str:
    if not status.nodes_known:
        return ""
    return f"{count(status.gpu_nodes, 'GPU node')} among {count(status.nodes, 'node')}"


def _numbers(entry: KindStatus, status: Status) -> dict[str, object]:
    """The sums for scripts; what depends on pods is left out where pods are not known."""
    known = COLUMNS if status.pods_known else ("total", "capacity", "allocatable", "lost")
    numbers: dict[str, object] = {"nodes": entry.totals.nodes, **{name: entry.totals.sums[name] for name in known}}
    if status.pods_known:
        numbers |= {"largest": entry.totals.largest, "largest_on": entry.totals.largest_on}
    return numbers


def _plain(entry: Line) -> str:
    return "".join(span if isinstance(span, str) else getattr(span, "text", "") for span in entry)
