"""Shapes of blocks: https://docs.slack.dev/reference/block-kit/blocks ."""

from __future__ import annotations

from bot.local.workspace.validation import elements as known
from bot.local.workspace.validation import limits as at_most
from bot.local.workspace.validation.shape import (
    Field,
    Shape,
    blocks,
    flag,
    integer,
    many,
    one,
    plain,
    several,
    string,
    text,
    texts,
    word,
)

CELLS = ("raw_text", "raw_number", "rich_text")
MESSAGE_ELEMENTS = ("button", "overflow", *known.SELECTS, *known.MULTI_SELECTS, *known.PICKERS)
INPUT_ELEMENTS = (*known.TYPED_INPUTS, *known.SELECTS, *known.MULTI_SELECTS, *known.PICKERS)
CONTAINED = ("actions", "context", "divider", "header", "image", "input", "rich_text", "section", "table")
IMAGE_SOURCE: Shape = {"image_url": string(at_most.IMAGE_URL), "slack_file": Field("anything")}

BLOCKS: dict[str, Shape] = {
    "header": {"text": plain(at_most.HEADER_TEXT, required=True)},
    "divider": {},
    "section": {
        "text": text(at_most.SECTION_TEXT),
        "fields": texts(at_most.SECTION_FIELDS, at_most.SECTION_FIELD),
        "accessory": one(*MESSAGE_ELEMENTS, "image"),
        "expand": flag(),
    },
    "context": {
        "elements": Field(
            "list",
            at_most.CONTEXT_ELEMENTS,
            1,
            required=True,
            item=Field("object", of=("plain_text", "mrkdwn", "image"), text_most=at_most.SECTION_TEXT),
        )
    },
    "actions": {"elements": many(*MESSAGE_ELEMENTS, most=at_most.ACTIONS_ELEMENTS)},
    "context_actions": {"elements": many("feedback_buttons", "icon_button", most=at_most.CONTEXT_ACTIONS_ELEMENTS)},
    "image": {
        **IMAGE_SOURCE,
        "alt_text": string(at_most.IMAGE_ALT_TEXT, required=True),
        "title": plain(at_most.IMAGE_TITLE),
    },
    "input": {
        "label": plain(at_most.INPUT_LABEL, required=True),
        "element": one(*INPUT_ELEMENTS, required=True),
        "hint": plain(at_most.INPUT_HINT),
        "optional": flag(),
        "dispatch_action": flag(),
    },
    "rich_text": {
        "elements": many("rich_text_section", "rich_text_list", "rich_text_quote", "rich_text_preformatted", least=0)
    },
    "markdown": {"text": string(at_most.MESSAGE_MARKDOWN, required=True, least=1)},
    "table": {
        "rows": several(several(one(*CELLS), least=1, most=at_most.TABLE_COLUMNS), least=1, most=at_most.TABLE_ROWS,
                        required=True),
        "column_settings": several(Field("anything"), most=at_most.TABLE_COLUMNS),
    },
    "data_table": {
        "caption": string(required=True, least=1),
        "rows": several(several(one(*CELLS), least=1, most=at_most.TABLE_COLUMNS), least=2,
                        most=at_most.DATA_TABLE_ROWS, required=True),
        "page_size": integer(1, at_most.DATA_TABLE_PAGE),
        "row_header_column_index": integer(0, at_most.TABLE_COLUMNS - 1),
    },
    "data_visualization": {"title": string(at_most.CHART_TITLE, required=True, least=1),
                           "chart": one("line", "bar", "area", "pie", required=True)},
    "alert": {
        "text": text(at_most.ALERT_TEXT, required=True),
        "level": word("default", "info", "warning", "error", "success"),
    },
    "container": {
        "title": plain(at_most.CONTAINER_TITLE),
        "rich_text_title": one("rich_text"),
        "subtitle": text(at_most.CONTAINER_TITLE),
        "icon": one("image"),
        "width": word("narrow", "standard", "wide", "full"),
        "child_blocks": blocks(*CONTAINED, most=at_most.CONTAINER_CHILDREN),
        "is_collapsible": flag(),
        "default_collapsed": flag(),
    },
}  # fmt: skip

SERIES: Shape = {"series": Field("list", at_most.CHART_SERIES, 1, required=True, item=one("series")),
                 "axis_config": one("axis_config")}  # fmt: skip
PARTS: dict[str, Shape] = {
    "raw_text": {"text": string(required=True)},
    "raw_number": {"value": Field("number", required=True), "text": string()},
    "pie": {"segments": Field("list", at_most.CHART_SERIES, 1, required=True, item=one("point"))},
    "line": SERIES,
    "bar": SERIES,
    "area": SERIES,
    "series": {
        "name": string(at_most.CHART_LABEL, required=True, least=1),
        "data": Field("list", at_most.CHART_CATEGORIES, 1, required=True, item=one("point")),
    },
    "point": {"label": string(at_most.CHART_LABEL, required=True), "value": Field("number", required=True)},
    "axis_config": {
        "categories": several(string(at_most.CHART_LABEL), most=at_most.CHART_CATEGORIES),
        "x_label": string(at_most.CHART_AXIS_LABEL),
        "y_label": string(at_most.CHART_AXIS_LABEL),
    },
}

# Slack knows these too; they are accepted as they come and drawn as placeholders.
UNCHECKED = ("card", "carousel", "plan", "task_card", "video", "file")
MESSAGE_BLOCKS = (*(name for name in BLOCKS if name != "alert"), *UNCHECKED)
VIEW_BLOCKS = ("actions", "alert", "context", "divider", "header", "image", "input", "rich_text", "section")
HOME_BLOCKS = tuple(name for name in BLOCKS if name not in ("alert", "markdown", "context_actions"))
