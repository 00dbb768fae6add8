"""Any list of blocks to HTML; a kind that is not drawn here leaves a visible placeholder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.local.workspace.render import layout
from bot.local.workspace.render.charts import chart
from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.render.markdown import markdown
from bot.local.workspace.render.rich_text import rich_text
from bot.local.workspace.render.scope import Scope
from bot.local.workspace.render.table import data_table, table

Json = dict[str, Any]


def render_blocks(blocks: list[Json], scope: Scope) -> str:
    return "".join(render_block(block, scope) for block in blocks)


def render_block(block: Json, scope: Scope) -> str:
    kind = str(block.get("type", ""))
    renderer = RENDERERS.get(kind)
    if renderer is None:
        return tag("div", escape(f"A “{kind}” block, which this page does not draw"), class_="block unknown")
    return tag("div", renderer(block, scope), class_=f"block {kind}")


def container(block: Json, scope: Scope) -> str:
    title, inner = layout.container_title(block, scope), render_blocks(block["child_blocks"], scope)
    if not block.get("is_collapsible"):
        return tag("div", title, class_="container-title") + inner
    return tag("details", tag("summary", title) + inner, open=not block.get("default_collapsed"))


RENDERERS: dict[str, Callable[[Json, Scope], str]] = {
    "header": layout.header,
    "divider": layout.divider,
    "section": layout.section,
    "context": layout.context,
    "actions": layout.actions,
    "context_actions": layout.actions,
    "image": layout.picture,
    "input": layout.form_field,
    "alert": layout.alert,
    "container": container,
    "rich_text": lambda block, scope: rich_text(block, scope.names),
    "markdown": lambda block, scope: markdown(block["text"]),
    "table": table,
    "data_table": data_table,
    "data_visualization": chart,
}
