"""The markdown block, by markdown-it with HTML off; images are named, not fetched; tables scroll in their own box."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from bot.local.workspace.render.html import escape, tag

ALIGNMENT = {"text-align:right": "right", "text-align:center": "center", "text-align:left": "left"}


def markdown(text: str) -> str:
    tokens = PARSER.parse(text)
    for token in tokens:
        style = token.attrs.pop("style", None)
        if style in ALIGNMENT:
            token.attrs["class"] = ALIGNMENT[str(style)]
    return str(PARSER.renderer.render(tokens, PARSER.options, {}))


def image(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, environment: EnvType
) -> str:
    return tag("span", escape(f"[image: {tokens[index].content or 'no description'}]"), class_="image-alt")


def link_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, environment: EnvType
) -> str:
    tokens[index].attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
    return renderer.renderToken(tokens, index, options, environment)


def table_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, environment: EnvType
) -> str:
    return '<div class="table-scroll" tabindex="0" role="region" aria-label="Table"><table>'


def table_close(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, environment: EnvType
) -> str:
    return "</table></div>"


def parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    for name, rule in (
        ("image", image),
        ("link_open", link_open),
        ("table_open", table_open),
        ("table_close", table_close),
    ):
        made.add_render_rule(name, rule)
    return made


PARSER = parser()
