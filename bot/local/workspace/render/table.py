"""Tables: they scroll sideways inside the message, so that they never widen the page."""

from __future__ import annotations

from typing import Any

from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.render.rich_text import rich_text
from bot.local.workspace.render.scope import Scope

Json = dict[str, Any]


def table(block: Json, scope: Scope) -> str:
    """A `table` block; its first row is the head."""
    columns = block.get("column_settings") or []
    return scrolling(rows(block["rows"], columns, scope, row_header=None), "Table")


def data_table(block: Json, scope: Scope) -> str:
    """A `data_table` block with its caption and row headers."""
    caption = tag("caption", escape(block["caption"]))
    body = rows(block["rows"], [], scope, row_header=int(block.get("row_header_column_index") or 0))
    return scrolling(caption + body, str(block["caption"]))


def scrolling(inner: str, label: str) -> str:
    return tag("div", tag("table", inner), class_="table-scroll", tabindex="0", role="region", aria_label=label)


def rows(all_rows: list[list[Json]], columns: list[Json | None], scope: Scope, row_header: int | None) -> str:
    alignments = [alignment(all_rows, columns, index) for index in range(max(map(len, all_rows), default=0))]
    head, *body = all_rows or [[]]
    first = "".join(
        tag("th", cell(each, scope), scope="col", class_=alignments[index]) for index, each in enumerate(head)
    )
    rest = "".join(tag("tr", row(each, alignments, scope, row_header)) for each in body)
    return tag("thead", tag("tr", first)) + tag("tbody", rest)


def row(cells: list[Json], alignments: list[str | None], scope: Scope, row_header: int | None) -> str:
    return "".join(
        tag("th", cell(each, scope), scope="row", class_=alignments[index])
        if index == row_header
        else tag("td", cell(each, scope), class_=alignments[index])
        for index, each in enumerate(cells)
    )


def alignment(all_rows: list[list[Json]], columns: list[Json | None], index: int) -> str | None:
    """What the column's settings say; numbers stand on the right."""
    settings = columns[index] if index < len(columns) else None
    said = (settings or {}).get("align")
    if said in ("left", "center", "right"):
        return str(said)
    numeric = any(len(cells) > index and cells[index].get("type") == "raw_number" for cells in all_rows)
    return "right" if numeric else None


def cell(each: Json, scope: Scope) -> str:
    if each.get("type") == "rich_text":
        return rich_text(each, scope.names)
    if each.get("type") == "raw_number":
        return escape(each.get("text") or each.get("value"))
    return escape(each.get("text", "")).replace("\n", "<br>")
