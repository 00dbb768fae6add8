"""Blocks and elements as HTML: what scripts rely on, what readers of the page see."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest

from bot.local.workspace.render import Names, Scope, render_blocks

SCOPE = Scope(Names({"U1": "ana"}, {"C1": "ops"}, UTC), "V1", {"why": "Say more"})


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def html(block: dict[str, Any]) -> str:
    return render_blocks([block], SCOPE)


def actions(element: dict[str, Any]) -> str:
    return html({"type": "actions", "block_id": "b", "elements": [element]})


OPTIONS = [{"text": plain("Team"), "value": "team"}, {"text": plain("Node"), "value": "node"}]
CONFIRM = {"title": plain("Sure?"), "text": plain("12 pods"), "confirm": plain("Yes"), "deny": plain("No")}
SERIES = [{"name": "free", "data": [{"label": "mon", "value": 3}, {"label": "tue", "value": 5}]}]
CHILD = {"type": "section", "text": plain("inside")}


@pytest.mark.parametrize(
    ("block", "fragment"),
    [
        pytest.param({"type": "header", "text": plain(":fire: gpu-9")}, "<h3>🔥 gpu-9</h3>", id="header"),
        pytest.param({"type": "divider"}, "<hr>", id="divider"),
        pytest.param({"type": "section", "fields": [plain("a"), plain("b")]},
                     '<div class="fields"><div>a</div><div>b</div></div>', id="section with fields"),
        pytest.param({"type": "image", "alt_text": "a graph", "image_url": "https://a.test/x.png"},
                     '<span class="image-alt" role="img" aria-label="a graph">🖼 a graph</span>',
                     id="an image is its alternative text"),
        pytest.param({"type": "alert", "level": "warning", "text": plain("12 pods")}, 'class="alert warning" role="note"',
                     id="alert"),
        pytest.param({"type": "container", "title": plain("Evidence"), "child_blocks": [CHILD], "is_collapsible": True,
                      "default_collapsed": True}, "<details><summary><span>Evidence</span></summary>", id="closed container"),
        pytest.param({"type": "table", "column_settings": [None, {"align": "right"}],
                      "rows": [[{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}]]},
                     '<th scope="col">a</th><th scope="col" class="right">b</th>', id="table with alignment"),
        pytest.param({"type": "data_table", "caption": "Nodes", "rows": [[{"type": "raw_text", "text": "node"}],
                      [{"type": "raw_text", "text": "gpu-9"}]]}, '<th scope="row">gpu-9</th>', id="data table row header"),
        pytest.param({"type": "markdown", "text": "| a |\n|--:|\n| 1 |"}, '<td class="right">1</td>', id="markdown table"),
        pytest.param({"type": "markdown", "text": "<b>x</b> ![y](https://a.test/i.png)"},
                     "&lt;b&gt;x&lt;/b&gt; <span class=\"image-alt\">[image: y]</span>", id="markdown without HTML or images"),
        pytest.param({"type": "data_visualization", "title": "Free", "chart": {"type": "line", "series": SERIES}},
                     "<td>free tue</td><td class=\"right\">5</td>", id="a chart has its numbers beside it"),
        pytest.param({"type": "carousel"}, "A “carousel” block, which this page does not draw", id="placeholder"),
    ],
)  # fmt: skip
def test_blocks(block: dict[str, Any], fragment: str):
    assert fragment in html(block)


@pytest.mark.parametrize("kind", ["line", "area", "bar"])
def test_charts_draw_each_series(kind: str):
    chart = html({"type": "data_visualization", "title": "Free", "chart": {"type": kind, "series": SERIES * 2}})
    assert "series-0" in chart
    assert "series-1" in chart


def test_a_pie_has_a_slice_for_each_segment():
    segments = [{"label": "used", "value": 3}, {"label": "free", "value": 1}]
    chart = html({"type": "data_visualization", "title": "Free", "chart": {"type": "pie", "segments": segments}})
    assert chart.count("<path") == 2


@pytest.mark.parametrize(
    ("element", "fragment"),
    [
        pytest.param({"type": "button", "action_id": "go", "text": plain("Go"), "value": '"x"', "style": "danger",
                      "accessibility_label": "Go on"},
                     '<button type="button" class="button danger" data-act="press" data-value="&quot;x&quot;" aria-label="Go on" '
                     'data-block="b" data-action="go" data-type="button">Go</button>', id="button"),
        pytest.param({"type": "button", "action_id": "go", "text": plain("Go"), "url": "https://a.test"},
                     '<a href="https://a.test" target="_blank" rel="noopener noreferrer"', id="link button"),
        pytest.param({"type": "button", "action_id": "go", "text": plain("Go"), "url": "javascript:x"}, "<button",
                     id="an unsafe link is a mere button"),
        pytest.param({"type": "button", "action_id": "go", "text": plain("Go"), "confirm": CONFIRM},
                     "data-confirm=\"{&quot;title&quot;", id="a question travels as data"),
        pytest.param({"type": "static_select", "action_id": "by", "options": OPTIONS, "initial_option": OPTIONS[1]},
                     '<option value="node" selected>Node</option>', id="select with an initial choice"),
        pytest.param({"type": "static_select", "action_id": "by", "option_groups":
                      [{"label": plain("All"), "options": OPTIONS}]}, '<optgroup label="All">', id="select with groups"),
        pytest.param({"type": "users_select", "action_id": "who"}, '<option value="U1">ana</option>', id="people"),
        pytest.param({"type": "overflow", "action_id": "more", "options": OPTIONS}, 'role="menuitem"', id="overflow"),
        pytest.param({"type": "checkboxes", "action_id": "c", "options": OPTIONS, "initial_options": OPTIONS[:1]},
                     '<input type="checkbox" name="V1-b-c" value="team" checked>', id="checkboxes"),
        pytest.param({"type": "radio_buttons", "action_id": "r", "options": OPTIONS}, 'type="radio"', id="radio"),
        pytest.param({"type": "datepicker", "action_id": "d", "initial_date": "2026-11-30"},
                     'type="date" value="2026-11-30"', id="date"),
        pytest.param({"type": "novelty"}, '<span class="unknown">[novelty]</span>', id="an unknown element is named"),
    ],
)  # fmt: skip
def test_elements(element: dict[str, Any], fragment: str):
    assert fragment in actions(element)


def test_a_field_is_labelled_hinted_and_shows_its_error():
    element = {"type": "plain_text_input", "action_id": "text", "multiline": True, "initial_value": "<x>"}
    field = html(
        {"type": "input", "block_id": "why", "label": plain("Why"), "hint": plain("In words"), "element": element}
    )
    assert '<label for="V1-why-text" id="V1-why-text-label">Why</label>' in field
    assert '<textarea rows="4" id="V1-why-text" aria-invalid="true" maxlength="3000">&lt;x&gt;</textarea>' in field
    assert '<p class="hint">In words</p>' in field
    assert '<p class="field-error" data-error="why" role="alert">Say more</p>' in field
