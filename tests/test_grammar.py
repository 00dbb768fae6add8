"""What people type, and how it is understood."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.errors import UsageError
from bot.grammar import LONGEST, mend, parse

MENDED = [
    pytest.param("gpu status", "gpu status", id="nothing to mend"),
    pytest.param("  gpu \t status\n", "gpu status", id="stray blanks"),
    pytest.param("“gpu status”", '"gpu status"', id="curly quotes"),
    pytest.param("gpu status —by team", "gpu status --by team", id="a phone's long dash before an option"),
    pytest.param("gpu status –by team", "gpu status --by team", id="a phone's shorter dash before an option"),
    pytest.param("gpu node gpu–3", "gpu node gpu-3", id="a long dash inside a name"),
    pytest.param("ｇｐｕ status", "gpu status", id="full-width letters"),
    pytest.param("gpu st\u200batus", "gpu status", id="an invisible character"),
    pytest.param("gpu \u202estatus", "gpu status", id="a direction mark"),
    pytest.param("gpu\u00a0status", "gpu status", id="a no-break space"),
    pytest.param("gpu status \x00\x1b[31m", "gpu status [31m", id="control characters"),
    pytest.param(
        "gpu node <https://gpu-3.local|gpu-3.local>", "gpu node gpu-3.local", id="Slack made a link of a name"
    ),
    pytest.param("gpu node <https://gpu-3.local>", "gpu node https://gpu-3.local", id="a bare link"),
    pytest.param("a &amp; b &lt;c&gt;", "a & b <c>", id="Slack's escapes"),
]


@pytest.mark.parametrize(("typed", "meant"), MENDED)
def test_mending(typed: str, meant: str) -> None:
    assert mend(typed) == meant


PARSED = [
    ("gpu status product=H200", ("gpu", "status"), {"product": "H200"}, None),
    ("gpu status --product=H200 --by team", ("gpu", "status"), {"product": "H200", "by": "team"}, None),
    ("status @prod-a", ("status",), {}, "prod-a"),
    ("status --cluster prod-a", ("status",), {}, "prod-a"),
    ("status cluster=prod-a", ("status",), {}, "prod-a"),
    ("gpu status --by", ("gpu", "status"), {"by": None}, None),
    ("gpu status product=", ("gpu", "status"), {"product": ""}, None),
    ('gpu status pool="big ones"', ("gpu", "status"), {"pool": "big ones"}, None),
    ("gpu node `gpu-3`", ("gpu", "node", "gpu-3"), {}, None),
    ("gpu node *gpu-3*", ("gpu", "node", "gpu-3"), {}, None),
    ("why don't you", ("why", "don", "t", "you"), {}, None),
    ("why — pending", ("why", "pending"), {}, None),
    ("gpu status --BY Team", ("gpu", "status"), {"by": "Team"}, None),
]


@pytest.mark.parametrize(("typed", "words", "options", "cluster"), PARSED, ids=str)
def test_parsing(typed: str, words: tuple[str, ...], options: dict[str, str], cluster: str | None) -> None:
    found = parse(typed)
    assert (found.words, found.options, found.cluster) == (words, options, cluster)


def test_a_line_that_is_too_long_is_refused_with_its_length() -> None:
    with pytest.raises(UsageError, match="2,001 characters"):
        parse("a" * (LONGEST + 1))


@given(st.text(max_size=300))
def test_any_text_parses_into_words_without_control_characters(text: str) -> None:
    found = parse(text)
    for word in (*found.words, *found.options, *(value or "" for value in found.options.values())):
        assert not any(unicodedata.category(character)[0] == "C" for character in word)
        assert "\n" not in word


@given(st.text(max_size=300))
def test_mending_twice_changes_nothing_more_than_slack_escapes(text: str) -> None:
    plain = (
        text.replace("&", "").replace("<", "").replace(">", "").replace("＜", "").replace("＆", "").replace("＞", "")
    )
    once = mend(plain)
    assert mend(once) == once


@pytest.mark.parametrize(
    ("line", "words", "options"),
    [
        pytest.param("why x if tolerate a=b", ("why", "x", "if", "tolerate", "a=b"), {}, id="a taint with its value"),
        pytest.param("why x IF drop pool=h20 ns=llm", ("why", "x", "IF", "drop", "pool=h20"), {"ns": "llm"}, id="an option"),
        pytest.param("why x if drop --pool=h20", ("why", "x", "if", "drop"), {"pool": "h20"}, id="an option, marked as one"),
        pytest.param("why x pool=h20 if end y", ("why", "x", "if", "end", "y"), {"pool": "h20"}, id="before it"),
        pytest.param("why x if end y cluster=b", ("why", "x", "if", "end", "y"), {}, id="a cluster"),
    ],
)  # fmt: skip
def test_after_if_most_pairs_are_words(line: str, words: tuple[str, ...], options: dict[str, str]) -> None:
    parsed = parse(line, after_if={"ns"})
    assert (parsed.words, parsed.options) == (words, options)
    assert parsed.cluster == ("b" if "cluster" in line else None)
