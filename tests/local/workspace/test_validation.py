"""Which blocks Slack would refuse: a table of sentences, checked against slackblocks, an independent reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import slackblocks

from bot.local.workspace import WorkspaceError
from bot.local.workspace.validation import check_message_blocks, check_view
from bot.local.workspace.validation.message import faults_of_block

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def button(**more: Any) -> Json:
    return {"type": "button", "action_id": "a", "text": plain("Go"), **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def option(text: str = "Team", value: str = "team") -> Json:
    return {"text": plain(text), "value": value}


def select(**more: Any) -> Json:
    return {"type": "static_select", "action_id": "s", "options": [option()], **more}


def cells(rows: int, columns: int) -> list[list[Json]]:
    return [[{"type": "raw_text", "text": "x"}] * columns for _ in range(rows)]


def faults(check: Callable[[Any], None], given: Any) -> list[str]:
    try:
        check(given)
    except WorkspaceError as refusal:
        return list(refusal.messages)
    return []


SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}


@pytest.mark.parametrize(
    "block",
    [
        pytest.param({"type": "header", "text": plain("x" * 150)}, id="a header of 150 characters"),
        pytest.param({"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3000, "verbatim": True}}, id="long section"),
        pytest.param({"type": "section", "fields": [plain("x" * 2000)] * 5}, id="fields alone"),
        pytest.param({"type": "context", "elements": [plain("x")] * 10}, id="ten context elements"),
        pytest.param(actions(*[button(action_id=str(number)) for number in range(25)]), id="25 buttons"),
        pytest.param(actions(select(options=[option(value=str(number)) for number in range(100)])), id="100 options"),
        pytest.param({"type": "table", "rows": cells(100, 3)}, id="a table of 100 rows"),
        pytest.param({"type": "rich_text", "elements": []}, id="empty rich text"),
        pytest.param({"type": "markdown", "text": "# x"}, id="markdown"),
        pytest.param({"type": "container", "title": plain("x"), "child_blocks": [SECTION], "is_collapsible": True},
                     id="container"),
        pytest.param({"type": "video", "anything": 1}, id="a kind that is accepted unchecked"),
        pytest.param({"type": "header", "text": plain("x"), "block_id": None}, id="null counts as absent"),
    ],
)  # fmt: skip
def test_sound_blocks(block: Json):
    check_message_blocks([block])


@pytest.mark.parametrize(
    ("block", "message"),
    [
        pytest.param({"type": "header", "text": plain("x" * 151)},
                     "must be less than 151 characters [json-pointer:/blocks/0/text/text]", id="long header"),
        pytest.param({"type": "header", "text": plain("")},
                     "must be more than 0 characters [json-pointer:/blocks/0/text/text]", id="empty text"),
        pytest.param({"type": "header", "text": {"type": "mrkdwn", "text": "x"}},
                     "unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]", id="mrkdwn header"),
        pytest.param({"type": "header"}, "missing required field: text [json-pointer:/blocks/0]", id="missing text"),
        pytest.param({"type": "section"}, "missing required field: text or fields [json-pointer:/blocks/0]",
                     id="section of nothing"),
        pytest.param({"type": "section", "fields": [plain("x" * 2001)]},
                     "must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]", id="long field"),
        pytest.param({"type": "section", "fields": [plain("x")] * 11},
                     "no more than 10 items allowed [json-pointer:/blocks/0/fields]", id="eleven fields"),
        pytest.param({"type": "divider", "colour": "red"},
                     "invalid additional property: colour [json-pointer:/blocks/0]", id="unknown property"),
        pytest.param({"type": "novelty"}, "unsupported type: novelty [json-pointer:/blocks/0/type]", id="unknown block"),
        pytest.param({"type": "alert", "text": plain("x")}, "unsupported type: alert [json-pointer:/blocks/0/type]",
                     id="an alert is for modals"),
        pytest.param("text", "must be of type object [json-pointer:/blocks/0]", id="no object"),
        pytest.param(actions(button(text=plain("x" * 76))),
                     "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]", id="long button"),
        pytest.param(actions(button(value="x" * 2001)),
                     "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]", id="long value"),
        pytest.param(actions(button(style="loud")),
                     "must be a valid enum value, one of primary, danger [json-pointer:/blocks/0/elements/0/style]",
                     id="unknown style"),
        pytest.param(actions(button(), button()), "action_id a already exists for this block [json-pointer:/blocks/0]",
                     id="the same action twice"),
        pytest.param(actions(button(action_id="x" * 256)),
                     "must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]", id="long action_id"),
        pytest.param(actions(), "no fewer than 1 items allowed [json-pointer:/blocks/0/elements]", id="no actions"),
        pytest.param(actions(select(options=[option("x" * 76)])),
                     "must be less than 76 characters [json-pointer:/blocks/0/elements/0/options/0/text/text]",
                     id="long option"),
        pytest.param(actions(select(option_groups=[{"label": plain("g"), "options": [option()]}])),
                     "exactly one of options and option_groups is required [json-pointer:/blocks/0/elements/0]",
                     id="options and groups"),
        pytest.param(actions({"type": "overflow", "action_id": "o", "options": [option()] * 6}),
                     "no more than 5 items allowed [json-pointer:/blocks/0/elements/0/options]", id="long overflow"),
        pytest.param(actions(button(confirm={"title": plain("x"), "text": plain("x" * 301), "confirm": plain("y"),
                                             "deny": plain("n")})),
                     "must be less than 301 characters [json-pointer:/blocks/0/elements/0/confirm/text/text]",
                     id="long question"),
        pytest.param({"type": "table", "rows": cells(101, 1)}, "no more than 100 items allowed [json-pointer:/blocks/0/rows]",
                     id="long table"),
        pytest.param({"type": "table", "rows": cells(1, 21)},
                     "no more than 20 items allowed [json-pointer:/blocks/0/rows/0]", id="wide table"),
        pytest.param({"type": "data_table", "rows": cells(2, 1)}, "missing required field: caption [json-pointer:/blocks/0]",
                     id="data table without caption"),
        pytest.param({"type": "data_table", "caption": "x", "rows": [*cells(1, 1), *cells(1, 2)]},
                     "all rows must have the same number of columns [json-pointer:/blocks/0/rows]", id="ragged data table"),
        pytest.param({"type": "image", "alt_text": "x"},
                     "missing required field: image_url or slack_file [json-pointer:/blocks/0]", id="image of nothing"),
        pytest.param({"type": "container", "title": plain("x"), "child_blocks": [{"type": "header"}]},
                     "missing required field: text [json-pointer:/blocks/0/child_blocks/0]", id="unsound child"),
        pytest.param({"type": "container", "child_blocks": [SECTION]},
                     "exactly one of title and rich_text_title is required [json-pointer:/blocks/0]", id="untitled container"),
        pytest.param({"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
                         {"type": "text", "text": ""}]}]},
                     "must be more than 0 characters [json-pointer:/blocks/0/elements/0/elements/0/text]",
                     id="empty rich text element"),
        pytest.param({"type": "rich_text", "elements": [{"type": "rich_text_list", "style": "bullet", "indent": 9,
                         "elements": [{"type": "rich_text_section", "elements": []}]}]},
                     "must be less than 9 [json-pointer:/blocks/0/elements/0/indent]", id="deep list"),
    ],
)  # fmt: skip
def test_unsound_blocks(block: Any, message: str):
    assert f"[ERROR] {message}" in faults(check_message_blocks, [block])


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        pytest.param([{"type": "divider"}] * 51, "no more than 50 items allowed [json-pointer:/blocks]", id="51 blocks"),
        pytest.param([{"type": "divider", "block_id": "x"}] * 2, "block_id x already exists [json-pointer:/blocks]",
                     id="the same block_id twice"),
        pytest.param([{"type": "markdown", "text": "x" * 6001}] * 2,
                     "markdown text must be less than 12001 characters in sum [json-pointer:/blocks]", id="much markdown"),
    ],
)  # fmt: skip
def test_rules_across_blocks(blocks: list[Json], message: str):
    assert faults(check_message_blocks, blocks) == [f"[ERROR] {message}"]


def modal(**more: Any) -> Json:
    return {"type": "modal", "title": plain("x"), "blocks": [SECTION], **more}


FIELD = {"type": "input", "label": plain("x"), "element": {"type": "plain_text_input", "action_id": "a"}}


@pytest.mark.parametrize(
    ("view", "message"),
    [
        pytest.param(modal(title=plain("x" * 25)), "must be less than 25 characters [json-pointer:/view/title/text]",
                     id="long title"),
        pytest.param(modal(private_metadata="x" * 3001),
                     "must be less than 3001 characters [json-pointer:/view/private_metadata]", id="much metadata"),
        pytest.param(modal(blocks=[FIELD]), "required when the view has input blocks [json-pointer:/view/submit]",
                     id="a form needs a submit button"),
        pytest.param({"type": "modal", "blocks": []}, "missing required field: title [json-pointer:/view]", id="no title"),
        pytest.param(modal(blocks=[{"type": "markdown", "text": "x"}]),
                     "unsupported type: markdown [json-pointer:/view/blocks/0/type]", id="markdown is for messages"),
        pytest.param(modal(hash="x"), "invalid additional property: hash [json-pointer:/view]", id="surplus property"),
    ],
)  # fmt: skip
def test_unsound_views(view: Json, message: str):
    assert f"[ERROR] {message}" in faults(check_view, view)


def test_alerts_and_forms_are_sound_in_modals():
    check_view(modal(submit=plain("Go"), blocks=[{"type": "alert", "level": "info", "text": plain("x")}, FIELD]))


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


SIZES = (1, 5, 6, 10, 11, 20, 21, 25, 26, 75, 76, 100, 101, 150, 151, 255, 256, 300, 301, 2000, 2001, 3000, 3001, 12001)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        pytest.param(
            lambda n: slackblocks.HeaderBlock("x" * n),
            lambda n: {"type": "header", "text": plain("x" * n)},
            id="header",
        ),
        pytest.param(
            lambda n: slackblocks.SectionBlock("x" * n),
            lambda n: {"type": "section", "text": mrkdwn("x" * n)},
            id="section",
        ),
        pytest.param(
            lambda n: slackblocks.SectionBlock(fields=["x" * n]),
            lambda n: {"type": "section", "fields": [mrkdwn("x" * n)]},
            id="field",
        ),
        pytest.param(
            lambda n: slackblocks.SectionBlock(fields=["x"] * n),
            lambda n: {"type": "section", "fields": [mrkdwn("x")] * n},
            id="number of fields",
        ),
        pytest.param(
            lambda n: slackblocks.ContextBlock([slackblocks.Text("x")] * n),
            lambda n: {"type": "context", "elements": [mrkdwn("x")] * n},
            id="context elements",
        ),
        pytest.param(
            lambda n: slackblocks.ActionsBlock([slackblocks.Button("x" * n, action_id="a")]),
            lambda n: actions(button(text=plain("x" * n))),
            id="button",
        ),
        pytest.param(
            lambda n: slackblocks.ActionsBlock([slackblocks.Button("x", action_id="a", value="x" * n)]),
            lambda n: actions(button(value="x" * n)),
            id="button value",
        ),
        pytest.param(
            lambda n: slackblocks.ActionsBlock([slackblocks.Button("x", action_id="x" * n)]),
            lambda n: actions(button(action_id="x" * n)),
            id="action_id",
        ),
        pytest.param(
            lambda n: slackblocks.ActionsBlock([slackblocks.Button("x", action_id=str(i)) for i in range(n)]),
            lambda n: actions(*[button(action_id=str(i)) for i in range(n)]),
            id="number of buttons",
        ),
        pytest.param(
            lambda n: slackblocks.MarkdownBlock("x" * n),
            lambda n: {"type": "markdown", "text": "x" * n},
            id="markdown",
        ),
        pytest.param(
            lambda n: slackblocks.TableBlock([[slackblocks.RawText("x")]] * n),
            lambda n: {"type": "table", "rows": cells(n, 1)},
            id="table rows",
        ),
        pytest.param(
            lambda n: slackblocks.TableBlock([[slackblocks.RawText("x")] * n]),
            lambda n: {"type": "table", "rows": cells(1, n)},
            id="table columns",
        ),
        pytest.param(
            lambda n: slackblocks.ImageBlock("https://a.test", alt_text="x" * n),
            lambda n: {"type": "image", "image_url": "https://a.test", "alt_text": "x" * n},
            id="alternative text",
        ),
        pytest.param(
            lambda n: slackblocks.DividerBlock(block_id="x" * n),
            lambda n: {"type": "divider", "block_id": "x" * n},
            id="block_id",
        ),
    ],
)
def test_slackblocks_agrees_about_limits(theirs: Callable[[int], Any], ours: Callable[[int], Json]):
    """On both sides of every limit, either both accept or both refuse."""
    for size in SIZES:
        try:
            theirs(size)
            accepted = True
        except slackblocks.InvalidUsageError:
            accepted = False
        block = ours(size)
        assert (faults_of_block(block, (block["type"],), "/blocks/0") == []) == accepted, size
