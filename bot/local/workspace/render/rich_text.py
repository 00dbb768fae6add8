"""rich_text blocks: sections, lists, quotes, preformatted text, and everything that stands in a line."""

from __future__ import annotations

from typing import Any

from bot.local.workspace.render.control import URL, link, mention
from bot.local.workspace.render.dates import formatted
from bot.local.workspace.render.emoji import emoji
from bot.local.workspace.render.html import escape, lines, tag
from bot.local.workspace.render.scope import Names

Json = dict[str, Any]
STYLES = {"bold": "strong", "italic": "em", "strike": "s", "underline": "u", "code": "code", "highlight": "mark"}


def rich_text(block: Json, names: Names) -> str:
    return "".join(part(element, names) for element in block.get("elements", []))


def part(element: Json, names: Names) -> str:
    """One of the four parts that a rich_text consists of."""
    kind = element.get("type")
    if kind == "rich_text_list":
        return listing(element, names)
    content = "".join(inline(each, names) for each in element.get("elements", []))
    if kind == "rich_text_preformatted":
        return tag("pre", content.replace("<br>", "\n"))
    if kind == "rich_text_quote":
        return tag("blockquote", content)
    return tag("div", content, class_="rich-section")


def listing(element: Json, names: Names) -> str:
    ordered, indent = element.get("style") == "ordered", min(int(element.get("indent") or 0), 8)
    items = "".join(
        tag("li", "".join(inline(each, names) for each in item.get("elements", [])))
        for item in element.get("elements", [])
    )
    start = int(element.get("offset") or 0) + 1 if ordered else None
    return tag("ol" if ordered else "ul", items, class_=f"rich-list indent-{indent}", start=start)


def inline(element: Json, names: Names) -> str:
    return styled(content(element, names), element.get("style") or {})


def styled(html: str, style: Json) -> str:
    """Wraps in the tags of the styles that are on, always in the same order."""
    for name, wrapper in STYLES.items():
        if style.get(name):
            html = tag(wrapper, html)
    return html


def content(element: Json, names: Names) -> str:
    """HTML of one inline element without its style; an unknown one is named, so that it is not lost unseen."""
    kind = element.get("type")
    if kind == "text":
        return lines(element.get("text", ""))
    if kind == "link":
        url, words = str(element.get("url", "")), lines(element.get("text") or element.get("url", ""))
        return link(url, words) if URL.fullmatch(url) else words
    if kind == "emoji":
        return escape(character(element))
    if kind == "date":
        shown = formatted(str(element.get("timestamp")), str(element.get("format", "")), names)
        return shown or escape(element.get("fallback", ""))
    if kind == "color":
        return tag("code", escape(element.get("value", "")))
    return reference(element, names)


def reference(element: Json, names: Names) -> str:
    """Mentions of people, channels and groups."""
    kind = element.get("type")
    if kind == "user":
        user = str(element.get("user_id"))
        return mention("@", names.users.get(user, user))
    if kind == "channel":
        channel = str(element.get("channel_id"))
        return mention("#", names.channels.get(channel, channel))
    if kind == "broadcast":
        return mention("@", str(element.get("range")))
    if kind in ("usergroup", "team"):
        return mention("@", str(element.get(f"{kind}_id")))
    return tag("span", escape(f"[{kind}]"), class_="unknown")


def character(element: Json) -> str:
    """From the code points if they are given, else by name."""
    name = str(element.get("name", ""))
    try:
        points = [chr(int(point, 16)) for point in str(element.get("unicode") or "").split("-") if point]
    except (ValueError, OverflowError):
        points = []
    return "".join(points) or emoji(name) or f":{name}:"
