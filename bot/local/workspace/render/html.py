"""Two helpers that all HTML goes through: escaping, and tags whose attributes are escaped."""

from __future__ import annotations

import html

VOID = frozenset({"br", "hr", "input", "link", "meta"})
Attribute = str | int | bool | None


def escape(text: object) -> str:
    """Safe as text and inside quoted attributes."""
    return html.escape(str(text), quote=True)


def tag(name: str, content: str = "", /, **attributes: Attribute) -> str:
    """An element around safe HTML. `class_` is class, `data_x` is data-x; None and False are left out."""
    written = "".join(attribute(key, value) for key, value in attributes.items() if value is not None)
    return f"<{name}{written}>" if name in VOID else f"<{name}{written}>{content}</{name}>"


def attribute(key: str, value: str | int | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    if isinstance(value, bool):
        return f" {name}" if value else ""
    return f' {name}="{escape(value)}"'


def lines(text: str) -> str:
    """Plain text with its line breaks."""
    return escape(text).replace("\n", "<br>")
