"""Shapes inside a rich_text block: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block ."""

from __future__ import annotations

from bot.local.workspace.validation import limits as at_most
from bot.local.workspace.validation.shape import Field, Shape, flag, integer, many, string, word

STYLE: Shape = {"style": Field("anything")}
INLINE = ("text", "link", "user", "usergroup", "channel", "broadcast", "emoji", "date", "color", "team")
BORDER: Shape = {"border": integer(0, 1)}

RICH_TEXT: dict[str, Shape] = {
    "rich_text_section": {"elements": many(*INLINE, least=0)},
    "rich_text_list": {
        **BORDER,
        "style": word("bullet", "ordered", required=True),
        "elements": many("rich_text_section"),
        "indent": integer(0, at_most.LIST_INDENT),
        "offset": integer(),
    },
    "rich_text_quote": {**BORDER, "elements": many(*INLINE, least=0)},
    "rich_text_preformatted": {**BORDER, "elements": many("text", "link", least=0), "language": string()},
    "text": {**STYLE, "text": string(required=True, least=1)},
    "link": {**STYLE, "url": string(at_most.BUTTON_URL, required=True, least=1), "text": string(), "unsafe": flag()},
    "user": {**STYLE, "user_id": string(required=True)},
    "usergroup": {**STYLE, "usergroup_id": string(required=True)},
    "channel": {**STYLE, "channel_id": string(required=True)},
    "team": {**STYLE, "team_id": string(required=True)},
    "broadcast": {**STYLE, "range": word("here", "channel", "everyone", required=True)},
    "emoji": {**STYLE, "name": string(required=True), "unicode": string(), "skin_tone": integer(1, 6), "url": string()},
    "date": {
        **STYLE,
        "timestamp": integer(required=True),
        "format": string(required=True),
        "url": string(),
        "fallback": string(),
    },
    "color": {**STYLE, "value": string(required=True)},
}
