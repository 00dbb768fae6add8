"""mrkdwn and rich text to HTML: a table of sentences, and hostile text that must never become markup."""

from __future__ import annotations

import re
from datetime import UTC
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.local.workspace.render import Names, Scope, mrkdwn, render_blocks
from bot.local.workspace.render.rich_text import rich_text

NAMES = Names({"U1": "ana", "U2": "<ben>"}, {"C1": "ops"}, UTC)
SCOPE = Scope(NAMES)
ANCHOR = 'target="_blank" rel="noopener noreferrer"'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        pytest.param("plain", "plain", id="plain text stays"),
        pytest.param("a\nb", "a<br>b", id="a line break is a line break"),
        pytest.param("*b* _i_ ~s~", "<strong>b</strong> <em>i</em> <s>s</s>", id="bold, italic, strike"),
        pytest.param("*a _b_ c*", "<strong>a <em>b</em> c</strong>", id="marks nest"),
        pytest.param("2 * 3 * 4", "2 * 3 * 4", id="a mark beside a space is no mark"),
        pytest.param("snake_case_name", "snake_case_name", id="a mark inside a word is no mark"),
        pytest.param("*open", "*open", id="an unclosed mark stays literal"),
        pytest.param("(*b*).", "(<strong>b</strong>).", id="punctuation may touch a mark"),
        pytest.param("**", "**", id="two marks around nothing stay"),
        pytest.param("**a*", "**a*", id="a doubled mark opens nothing"),
        pytest.param("*a\nb*", "*a<br>b*", id="a mark does not cross lines"),
        pytest.param("`*a*`", "<code>*a*</code>", id="nothing is styled in code"),
        pytest.param("*`a`*", "<strong><code>a</code></strong>", id="code may be bold"),
        pytest.param("```a\n*b*```", "<pre>a\n*b*</pre>", id="a fence keeps its lines"),
        pytest.param("x\n```\na\n```\ny", "x<pre>a</pre>y", id="line breaks beside a fence vanish"),
        pytest.param("```open", "```open", id="an unclosed fence stays literal"),
        pytest.param("&gt; a\n&gt; b\nc", "<blockquote>a<br>b</blockquote>c", id="quoted lines gather"),
        pytest.param("a\n&gt;&gt;&gt;b\nc", "a<blockquote>b<br>c</blockquote>", id="three signs quote the rest"),
        pytest.param("&lt;b&gt; &amp; c", "&lt;b&gt; &amp; c", id="entities show their characters"),
        pytest.param("&amp;lt;", "&amp;lt;", id="an entity is decoded once"),
        pytest.param("<@U1> <#C1>", '<span class="mention">@ana</span> <span class="mention">#ops</span>',
                     id="people and channels are named"),
        pytest.param("<@U2>", '<span class="mention">@&lt;ben&gt;</span>', id="a hostile name is escaped"),
        pytest.param("<@U9|old>", '<span class="mention">@old</span>', id="an unknown person keeps the label"),
        pytest.param("<!here>", '<span class="mention">@here</span>', id="a broadcast"),
        pytest.param("<!subteam^S1|@oncall>", '<span class="mention">@oncall</span>', id="a group"),
        pytest.param("<https://a.test/?x=1&amp;y|see>", f'<a href="https://a.test/?x=1&amp;y" {ANCHOR}>see</a>',
                     id="a link with its words"),
        pytest.param("<https://a.test>", f'<a href="https://a.test" {ANCHOR}>https://a.test</a>', id="a bare link"),
        pytest.param("*<https://a.test|x>*", f'<strong><a href="https://a.test" {ANCHOR}>x</a></strong>',
                     id="a bold link"),
        pytest.param("<javascript:alert(1)|x>", "&lt;javascript:alert(1)|x&gt;", id="only web and mail links are links"),
        pytest.param("<none>", "&lt;none&gt;", id="an unknown sequence stays literal"),
        pytest.param("<@U1", "&lt;@U1", id="an open sequence stays literal"),
        pytest.param("<!date^0^{date_num} {time}|then>",
                     '<time datetime="1970-01-01T00:00:00+00:00" title="1970-01-01 00:00:00 UTC">1970-01-01 00:00</time>',
                     id="a date in the reader's zone"),
        pytest.param("<!date^9999999999999999^{time}|then>", "then", id="a date that is none shows its fallback"),
        pytest.param("<!date^x^{time}>", "&lt;!date^x^{time}&gt;", id="a broken date stays literal"),
        pytest.param(":warning: :nope: 10:20:30", "⚠️ :nope: 10:20:30", id="known emoji only"),
        pytest.param("`<@U1> <https://a.test|x>`", "<code>@ana x</code>", id="sequences in code are words"),
    ],
)  # fmt: skip
def test_mrkdwn(text: str, html: str):
    assert mrkdwn(text, NAMES) == html


def words(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


@pytest.mark.parametrize(
    ("element", "html"),
    [
        pytest.param({"type": "text", "text": "a<b\nc"}, "a&lt;b<br>c", id="text"),
        pytest.param({"type": "text", "text": "a", "style": {"bold": True, "code": True}}, "<code><strong>a</strong></code>",
                     id="styles wrap in one order"),
        pytest.param({"type": "link", "url": "https://a.test", "text": "x"}, f'<a href="https://a.test" {ANCHOR}>x</a>',
                     id="link"),
        pytest.param({"type": "link", "url": "javascript:x", "text": "x"}, "x", id="an unsafe link keeps its words"),
        pytest.param({"type": "user", "user_id": "U1"}, '<span class="mention">@ana</span>', id="user"),
        pytest.param({"type": "channel", "channel_id": "C1"}, '<span class="mention">#ops</span>', id="channel"),
        pytest.param({"type": "broadcast", "range": "here"}, '<span class="mention">@here</span>', id="broadcast"),
        pytest.param({"type": "usergroup", "usergroup_id": "S1"}, '<span class="mention">@S1</span>', id="group"),
        pytest.param({"type": "emoji", "name": "x", "unicode": "1f600"}, "😀", id="emoji by code point"),
        pytest.param({"type": "emoji", "name": "fire"}, "🔥", id="emoji by name"),
        pytest.param({"type": "color", "value": "#fff"}, "<code>#fff</code>", id="colour"),
        pytest.param({"type": "date", "timestamp": "x", "format": "{time}", "fallback": "then"}, "then", id="bad date"),
        pytest.param({"type": "novelty"}, '<span class="unknown">[novelty]</span>', id="an unknown element is named"),
    ],
)  # fmt: skip
def test_rich_text_elements(element: dict[str, Any], html: str):
    assert rich_text(words(element), NAMES) == f'<div class="rich-section">{html}</div>'


def test_rich_text_lists_quotes_and_preformatted_text():
    line = [{"type": "text", "text": "a"}]
    item = {"type": "rich_text_section", "elements": line}
    block = {
        "elements": [
            {"type": "rich_text_list", "style": "ordered", "offset": 2, "indent": 1, "elements": [item]},
            {"type": "rich_text_quote", "elements": line},
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "a\nb"}]},
        ]
    }
    assert rich_text(block, NAMES) == (
        '<ol class="rich-list indent-1" start="3"><li>a</li></ol><blockquote>a</blockquote><pre>a\nb</pre>'
    )


class Tags(HTMLParser):
    """All tags with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.urls: set[str] = set()
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.urls |= {value or "" for name, value in attrs if name == "href"}
        if tag not in ("br", "hr", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


ALLOWED = {"a", "b", "blockquote", "br", "code", "div", "em", "pre", "s", "span", "strong", "time"}
MARKDOWN_TAGS = {
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
HARMLESS = {"class", "href", "target", "rel", "datetime", "title", "start", "tabindex", "role", "aria-label", "scope"}
PIECES = [
    "*", "_", "~", "`", "```", "<", ">", "|", "&", "&lt;", "&gt;", "&amp;", "&gt;&gt;&gt;", "\n", " ", "a", "\"", "'",
    "<@U2>", "<#C1|", "<!date^0^", "<!here", "javascript:", "https://a.test/", "<script>", "<img src=x onerror=y>", ":fire:",
    "[x](", ")", "![", "]", "# ", "- ", "<!--", "]]>", "\x00", "^", "{time}",
]  # fmt: skip
HOSTILE = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=25).map("".join))


def assert_harmless(html: str, allowed: set[str]) -> None:
    found = Tags(html)
    assert found.open == []
    assert found.tags <= allowed
    assert found.attributes <= HARMLESS
    assert all(url.lower().startswith(("http://", "https://", "mailto:", "tel:")) for url in found.urls)


@given(HOSTILE)
def test_hostile_mrkdwn_yields_no_foreign_tags(text: str):
    assert_harmless(mrkdwn(text, NAMES), ALLOWED)


@given(HOSTILE)
def test_hostile_text_in_blocks_yields_no_foreign_tags(text: str):
    plain = {"type": "plain_text", "text": text}
    blocks = [
        {"type": "header", "text": plain},
        {"type": "section", "text": {"type": "mrkdwn", "text": text}, "fields": [plain]},
        {"type": "context", "elements": [plain, {"type": "image", "alt_text": text, "image_url": text}]},
        {"type": "table", "rows": [[{"type": "raw_text", "text": text}]]},
        words({"type": "text", "text": text}, {"type": "link", "url": text}, {"type": "emoji", "name": text}),
        {"type": text},
    ]
    tags = ALLOWED | {"h3", "table", "thead", "tbody", "tr", "th"}
    assert_harmless(render_blocks(blocks, SCOPE), tags)


@given(HOSTILE)
def test_hostile_markdown_yields_no_foreign_tags(text: str):
    html = render_blocks([{"type": "markdown", "text": text}], SCOPE)
    found = Tags(html)
    assert found.tags <= ALLOWED | MARKDOWN_TAGS
    assert found.attributes <= HARMLESS
    assert not any(url.lower().startswith(("javascript:", "data:", "vbscript:")) for url in found.urls)


@given(st.text(alphabet="*_~`> ab\n", max_size=400))
def test_no_letter_is_lost_between_marks(text: str):
    shown = re.sub(r"<[^>]*>|&[a-z]+;", "", mrkdwn(text, NAMES))
    assert [char for char in shown if char in "ab"] == [char for char in text if char in "ab"]
