"""The table of `/gpu status`: one line per kind of GPU, or per pool where a kind lives in several."""

from collections.abc import Iterator

from bot.domain.document import Part, line, paragraph, table
from bot.gpu.status import KindStatus, Status
from bot.gpu.totals import Totals

ROWS_SHOWN = 30
# column, heading, whether it is shown even when empty
SHOWN = (
    ("used", "used", True),
    ("preemptible", "preempt.", False),
    ("burn_in", "burn-in", False),
    ("free", "free", True),
    ("reserved", "reserved", False),
    ("cordoned", "cordoned", False),
    ("not_ready", "not ready", False),
    ("stranded", "no slot", False),
    ("lost", "lost", False),
    ("over", "over", False),
)
ALWAYS = frozenset(name for name, _, always in SHOWN if always)
WORDS = {"preemptible": "preemptible", "burn_in": "burn-in", "not_ready": "not ready", "stranded": "no slot"}


def table_of(status: Status) -> list[Part]:
    """The table and the line that says how its columns add up."""
    if not status.pods_known:
        rows = [(entry.kind.title, entry.totals.nodes, entry.totals.sums["total"], "?", "?") for entry in status.kinds]
        return [table(("product", "nodes", "total", "used", "free"), rows, numeric=range(1, 5))]
    columns = [
        (name, heading)
        for name, heading, always in SHOWN
        if always or any(entry.totals.sums[name] for entry in status.kinds)
    ]
    rows_all = [row for entry in status.kinds for row in _rows(entry, [name for name, _ in columns])]
    headings = ["product", "nodes", "total"]
    for _, heading in columns:
        headings += [heading, "largest"] if heading == "free" else [heading]
    more = (
        f"and {len(rows_all) - ROWS_SHOWN} more; narrow it with product= or pool=" if len(rows_all) > ROWS_SHOWN else ""
    )
    shown = table(headings, rows_all[:ROWS_SHOWN], numeric=range(1, len(headings)), more=more)
    return [shown, paragraph(line(_adds_up([name for name, _ in columns])))]


def _rows(entry: KindStatus, columns: list[str]) -> Iterator[list[object]]:
    yield _row(entry.kind.title, entry.totals, columns)
    if len(entry.pools) > 1:
        for pool, totals in sorted(entry.pools.items()):
            yield _row(f"· {pool or 'no pool label'}", totals, columns)


def _row(title: str, totals: Totals, columns: list[str]) -> list[object]:
    cells: list[object] = [title, totals.nodes, totals.sums["total"]]
    for name in columns:
        value = totals.sums[name]
        cells.append(-value if name == "over" and value else value or (0 if name in ALWAYS else "–"))
        if name == "free":
            cells.append(totals.largest)
    return cells


def _adds_up(columns: list[str]) -> str:
    plus = [WORDS.get(name, name) for name in columns if name != "over"]
    minus = " − over" if "over" in columns else ""
    text = f"Total = {' + '.join(plus)}{minus}. Largest: the most that is free on one node."
    if "preemptible" in columns:
        text += " Preemptible pods may be ended for others."
    if "stranded" in columns:
        text += " No slot: free, but the node takes no more pods."
    return text
