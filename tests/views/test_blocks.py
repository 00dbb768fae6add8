"""Block Kit from any document keeps Slack's limits, and nothing in it is markup."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.document import Bold, Bullets, Button, Code, Document, Paragraph, Person, Table, sentence
from bot.local.workspace.validation import check_message_blocks
from bot.views.blocks import BUDGET, TEXT_MAX, render
from bot.views.text import render as as_text

words = st.text(max_size=24) | st.sampled_from(
    [
        "<!channel>",
        "<@U0BEN>",
        "<#C1|x>",
        "<https://evil.example|ok>",
        "&lt;!here&gt;",
        "```",
        "*b*",
        "\x1b[31m",
        "\u202egpj",
        "@everyone",
        "a" * 5000,
    ]
)
spans = st.one_of(words, words.map(Code), words.map(Bold))
lines = st.lists(spans, min_size=1, max_size=4).map(tuple)
tables = st.integers(1, 25).flatmap(
    lambda width: st.builds(
        lambda columns, rows, more: Table(columns, rows, frozenset({width - 1}), more),
        st.lists(words, min_size=width, max_size=width).map(tuple),
        st.lists(st.lists(words, min_size=width, max_size=width).map(tuple), max_size=8).map(tuple),
        words,
    )
)
parts = st.one_of(
    st.lists(lines, min_size=1, max_size=4).map(lambda found: Paragraph(tuple(found))),
    st.builds(lambda title, found: Bullets(title, tuple(found)), words, st.lists(lines, min_size=1, max_size=4)),
    tables,
)
documents = st.builds(
    lambda verdict, found, footer, buttons: Document(verdict, tuple(found), tuple(footer), tuple(buttons)),
    lines,
    st.lists(parts, max_size=6),
    st.lists(words, max_size=4),
    st.lists(st.builds(Button, words, st.just("share"), words, words), max_size=1),
)


@settings(max_examples=60, deadline=None)
@given(documents)
def test_every_document_is_a_message_that_slack_accepts(document: Document) -> None:
    message = render(document)
    check_message_blocks(message.blocks)  # raises where Slack would refuse
    assert len(json.dumps(message.blocks)) <= BUDGET + 2_000
    assert len(message.text) <= 6 * TEXT_MAX
    assert "<" not in message.text
    assert not kinds(message.blocks) & {"mrkdwn", "link", "user", "broadcast", "channel", "usergroup"}


@settings(max_examples=60, deadline=None)
@given(documents)
def test_every_document_is_text_without_control_characters(document: Document) -> None:
    text = as_text(document)
    assert "<!" not in text
    assert "<@" not in text
    assert not any(character < " " and character != "\n" for character in text)
    assert "\u202e" not in text


def kinds(blocks: Any) -> set[str]:
    if isinstance(blocks, list):
        return set().union(*(kinds(each) for each in blocks)) if blocks else set()
    if isinstance(blocks, dict):
        return {blocks["type"]} | set().union(*(kinds(each) for each in blocks.values())) if "type" in blocks else set()
    return set()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("try `/gpu status`.", ("try ", Code("/gpu status"), ".")),
        ("`/gpu help`", (Code("/gpu help"),)),
        ("one ` alone", ("one ` alone",)),
        ("none", ("none",)),
    ],
)
def test_what_can_be_typed_is_marked_in_a_sentence(text: str, line: Any) -> None:
    assert sentence(text) == line


def test_a_person_is_mentioned_only_where_our_own_code_says_so() -> None:
    message = render(Document((Person("U0ANA"), " asked")))
    assert {"type": "user", "user_id": "U0ANA"} in message.blocks[0]["elements"][0]["elements"]


def test_a_second_table_is_kept_as_aligned_text_since_slack_takes_one() -> None:
    table = Table(("a", "b"), (("1", "2"),), frozenset({1}))
    blocks = render(Document(("v",), (table, table))).blocks
    assert [block["type"] for block in blocks] == ["rich_text", "table", "rich_text"]


def test_what_does_not_fit_is_counted_in_words() -> None:
    big = Paragraph(tuple((f"line {index} " + "x" * 200,) for index in range(40)))
    message = render(Document(("v",), (big, big, big)))
    assert "2 more parts did not fit here: ask more narrowly." in json.dumps(message.blocks)


@pytest.mark.parametrize("text", ["a & b", "<b>", "1 > 0"])
def test_the_top_level_text_is_escaped(text: str) -> None:
    assert render(Document((text,))).text == text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
